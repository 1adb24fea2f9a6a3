package api

import (
	"context"
	"net/http"

	"platen/internal/api/message"
	"platen/internal/words/problem"
)

// exportBytes is the memory that counts for an export under way.
const exportBytes = 1 << 20

// export sends the sandbox as a file (contract: OPEN.FILE.EXPORT). It starts no clock that waits.
func (x *exchange) export() (*message.Response, error) {
	if _, err := readQuery(nil, x.HTTP.URL.RawQuery); err != nil {
		return nil, err
	}
	if x.Caller.Evaluation && !grades(x.Request) {
		return nil, problem.New(problem.NotInEvaluation, "Players cannot export the sandbox of an evaluation.")
	}
	if err := x.Share.Take(x.Context(), exportBytes); err != nil {
		return gone(), nil //nolint:nilerr // no response is read
	}
	file, err := x.Sandbox.Export(x.Context())
	if err != nil {
		return nil, err
	}
	out := &message.Response{
		Status: x.op.Status, Type: message.ContentSandbox,
		Stream: func(ctx context.Context, w http.ResponseWriter) {
			if err := file.Write(ctx, w); err != nil {
				if ctx.Err() == nil {
					x.server.log.Warn("an export broke off", append(x.Logged(), "error", err)...)
				}
				panic(http.ErrAbortHandler) // the client must not take the part for the whole
			}
		},
	}
	out.Set("Content-Disposition", `attachment; filename="`+x.Caller.SandboxID+`.platen"`)
	return out, nil
}
