# The toolchain comes from npm, as in README.md.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN npx --yes bun@1.4.5 run install:frozen
COPY . .
RUN npx --yes bun@1.4.5 run build
# All that the image holds: the executable and the C library's files that it names. No shell, no packages.
RUN install -D -m 755 dist/faultline /image/usr/local/bin/faultline \
 && ldd dist/faultline | grep -o '/[^ ]*' | xargs cp --parents -L -t /image \
 && install -d -m 1777 /image/tmp \
 && install -d -m 700 -o 10001 -g 10001 /volume

FROM scratch
COPY --from=build /image /
# A new volume takes its owner and rights from here.
COPY --from=build --chown=10001:10001 /volume /data
USER 10001:10001
WORKDIR /data
ENV HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["/usr/local/bin/faultline", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/faultline"]
CMD ["serve"]
