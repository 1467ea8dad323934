# The build stage installs all dependencies, builds dist, and keeps the files of both that are
# needed at run time. The run image has Node.js itself and no package manager.
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json clients/typescript/
COPY scripts/no-ssh2 scripts/no-ssh2
COPY console/package.json console/package-lock.json console/.npmrc console/
# Install scripts do not run: in a clone they build files from sources that are not copied yet. The
# build below makes these files.
RUN npm ci --no-audit --no-fund --ignore-scripts \
  && npm ci --prefix console --no-audit --no-fund --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY console console
COPY scripts scripts
COPY src src
COPY drizzle drizzle
# The adapters for frameworks are for applications, so the image has none.
RUN npm run build:service
# The native engine of the built-in model comes last, because npm removes packages that its lock file
# does not have. Type declarations, source maps and handbooks are for developers and are deleted;
# licences stay.
RUN npm prune --omit=dev --no-audit --no-fund --ignore-scripts && node scripts/unpack-native.ts \
  && rm -r node_modules/@recollect node_modules/ssh2 \
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
