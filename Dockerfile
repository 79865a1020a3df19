# The toolchain comes from npm, as in README.md; what is shipped is one file on a bare system.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN npx --yes bun@1.4.5 run install:frozen
COPY . .
RUN npx --yes bun@1.4.5 run build

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 faultline && install -d -o faultline -m 700 /data
COPY --from=build /src/dist/faultline /usr/local/bin/faultline
USER faultline
WORKDIR /data
ENV HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["faultline", "healthcheck"]
ENTRYPOINT ["faultline"]
CMD ["serve"]
