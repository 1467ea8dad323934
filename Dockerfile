# The build stage installs all dependencies, builds dist, and keeps the files of both that are
# needed at run time. The run image has Node.js itself and no package manager.
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json clients/typescript/
# Install scripts do not run: in a clone they build files from sources that are not copied yet. The
# build below makes these files.
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY console console
COPY scripts scripts
COPY src src
COPY drizzle drizzle
RUN npm run build
# npm prune would remove the built-in model's native engine, because it is a peer dependency, and
# the engine has files for all platforms. Of the engine's packages, only the one that is loaded is
# kept, with its files for this platform. Type declarations, source maps and handbooks are for
# developers and are deleted; licences stay.
RUN mkdir /kept && mv node_modules/onnxruntime-node /kept/ \
  && npm prune --omit=dev --no-audit --no-fund \
  && mv /kept/* node_modules/ && rm -r node_modules/@recollect \
  && find node_modules/onnxruntime-node/bin -type f ! -path "*/linux/$(node -p process.arch)/*" -delete \
  && find node_modules dist -type f \( -name '*.map' -o -name '*.ts' -o -name '*.[mc]ts' \) -delete \
  && find node_modules -type f -iname '*.md' ! -iname '*licen[cs]e*' -delete \
  && find node_modules dist -type d -empty -delete

FROM debian:trixie-slim
# The model's native engine sends telemetry unless it is told not to. Recollect tells it so too.
ENV ORT_DISABLE_TELEMETRY=1
ENV NODE_ENV=production RECOLLECT_HOST=0.0.0.0 RECOLLECT_DATA_DIR=/data RECOLLECT_CACHE_DIR=/data/cache
WORKDIR /app
RUN useradd --uid 1000 --home-dir /data --shell /usr/sbin/nologin recollect && install -d -o recollect -g recollect /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY drizzle drizzle
COPY migrations migrations
COPY examples examples
# If Node.js misses a system library here, the build fails, not the first start.
RUN ["node", "dist/start/cli.js", "--version"]
USER recollect
VOLUME /data
EXPOSE 7420
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/health/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "dist/start/cli.js"]
CMD ["serve"]
