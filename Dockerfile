# One static binary, the certificates that webhooks over TLS are checked with, and nothing
# else: no shell, no libraries, no other user.

FROM docker.io/library/golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags=-s -o /out/root/platen ./cmd/platen \
 && mkdir -p /out/root/data /out/root/tmp /out/root/etc/ssl/certs \
 && cp /etc/ssl/certs/ca-certificates.crt /out/root/etc/ssl/certs/ \
 && chown -R 65532:65532 /out/root/data /out/root/tmp

FROM scratch
COPY --from=build /out/root /
USER 65532:65532
ENV PLATEN_LISTEN=0.0.0.0:8080 PLATEN_DATABASE=/data/platen.db
VOLUME /data
EXPOSE 8080
HEALTHCHECK CMD ["/platen", "doctor", "--server", "http://127.0.0.1:8080"]
ENTRYPOINT ["/platen"]
CMD ["serve"]
