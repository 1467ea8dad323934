# Build: all dependencies, then dist. The run image gets production dependencies only.
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-trixie-slim
ENV NODE_ENV=production RECOLLECT_HOST=0.0.0.0 RECOLLECT_DATA_DIR=/data RECOLLECT_CACHE_DIR=/data/cache
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY drizzle drizzle
COPY migrations migrations
COPY examples examples
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 7420
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/health/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "dist/start/cli.js"]
CMD ["serve"]
