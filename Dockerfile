# One static binary and its licence, and nothing else: no shell, no libraries, no other user.
# The roots that webhooks over TLS are checked with are in the binary, and so is the version:
#
#   docker build --build-arg VERSION=v0.1.0 -t platen .
#
# A binary that is there already takes the place of the first stage:
#
#   docker build --build-context build=FOLDER .   # FOLDER/out/root/{platen,LICENSE,data,tmp}

FROM docker.io/library/golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X platen/internal/server.stamped=$VERSION" -o /out/root/platen ./cmd/platen \
 && cp LICENSE /out/root/ \
 && mkdir -p -m 0700 /out/root/data && mkdir -p -m 1777 /out/root/tmp \
 && chown -R 65532:65532 /out/root/data

FROM scratch
COPY --from=build /out/root /
USER 65532:65532
ENV PLATEN_LISTEN=0.0.0.0:8080 PLATEN_DATABASE=/data/platen.db
VOLUME /data
EXPOSE 8080
HEALTHCHECK CMD ["/platen", "doctor"]
ENTRYPOINT ["/platen"]
CMD ["serve"]
