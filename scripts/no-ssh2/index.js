/*
 * Stands in for the package ssh2, which testcontainers needs for a Docker engine on another machine
 * and for containers that call back to this one. No test does either, and an install of ssh2
 * compiles two native modules, for which a laptop may lack the compiler.
 */
exports.Client = class Client {
  constructor() {
    throw new Error(
      "This repository installs no ssh2, so DOCKER_HOST must not begin with ssh://; give it the socket of an engine.",
    );
  }
};
