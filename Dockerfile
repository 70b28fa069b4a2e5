# The static program, without a shell, as a user without rights. It serves HTTPS:
#
#	docker run -p 8443:8443 -v triptych:/data ghcr.io/triptych-mcp/triptych
#
# or one client over standard input and output:
#
#	docker run -i --rm -v triptych:/data ghcr.io/triptych-mcp/triptych stdio
#
# The debugger sees the processes of its container alone and needs permission to
# trace them: --cap-add SYS_PTRACE --security-opt seccomp=unconfined.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/triptych /usr/bin/triptych
COPY --chown=65532:65532 deploy/docker/data /data
COPY --chown=65532:65532 deploy/docker/tmp /tmp
COPY LICENSE /LICENSE
COPY bin/release/THIRD_PARTY_NOTICES /THIRD_PARTY_NOTICES
LABEL io.modelcontextprotocol.server.name="io.github.triptych-mcp/triptych"
USER 65532:65532
# Temporary files are not on the volume: they must not take the room of the data.
ENV TRIPTYCH_DATA=/data TMPDIR=/tmp
VOLUME /data
EXPOSE 8443
HEALTHCHECK --interval=10s --timeout=3s CMD ["/usr/bin/triptych", "health"]
ENTRYPOINT ["/usr/bin/triptych"]
CMD ["serve", "--listen", "0.0.0.0:8443"]
