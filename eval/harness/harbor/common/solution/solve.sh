#!/bin/sh
# {{.Canary}}
# Has the task solved by its oracle, which acts with the keys of the player, and leaves its answer
# where the player would. The oracle is beside the company, out of reach without this token.
set -eu
solver=${PLATEN_SOLVE_URL:-{{.SolveURL}}}
answer=${PLATEN_ANSWER_FILE:-{{.AnswerFile}}}
token={{.SolutionToken}}

rm -f "$answer.new"
status=$(printf 'header = "Authorization: Bearer %s"\n' "$token" |
	curl --config - --silent --show-error --max-time {{.AgentSeconds}} --request POST \
		--output "$answer.new" --write-out '%{http_code}' "$solver")
case $status in
200) mv "$answer.new" "$answer" ;;
204) rm -f "$answer.new" ;; # the task asks for no answer
*)
	echo "The oracle at $solver responds with status $status." >&2
	[ ! -f "$answer.new" ] || cat "$answer.new" >&2
	rm -f "$answer.new"
	exit 1
	;;
esac
