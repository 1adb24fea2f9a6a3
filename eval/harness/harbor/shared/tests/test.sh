#!/bin/sh
# {{.Canary}}
# Has the try graded beside the company, and writes its score as the reward: 0 to 1. What the
# score is made of goes to grade.json.
set -u
judge=${PLATEN_JUDGE_URL:-{{.JudgeURL}}}
answer=${PLATEN_ANSWER_FILE:-{{.AnswerFile}}}
logs=${PLATEN_LOGS_DIR:-/logs/verifier}
token={{.JudgeToken}}

# ask MEDIA_TYPE FILE posts the answer, writes what comes back to a file, and prints the status.
# The token goes through a pipe, so that it is in no list of processes.
ask() {
	printf 'header = "Authorization: Bearer %s"\n' "$token" |
		curl --config - --silent --show-error --max-time {{.GradeSeconds}} \
			--header "Accept: $1" --header 'Content-Type: application/json' --header 'Expect:' \
			--data-binary "@$answer" --output "$2" --write-out '%{http_code}' "$judge"
}

# fail REASON [FILE] says why there is no score. The reward of 0 is there already.
fail() {
	echo "The reward is 0: $1" >&2
	[ $# -lt 2 ] || cat "$2" >&2
	exit 1
}

mkdir -p "$logs" || exit 1
rm -rf "$logs/reward.txt" "$logs/score.txt" "$logs/grade.json"
echo 0 >"$logs/reward.txt"
[ -f "$answer" ] || answer=/dev/null # none was filed
{{- if .Program}}

# The filed program runs here, against a copy of the company.
curl --silent --show-error --fail --max-time 60 --upload-file "$answer" "${PLATEN_ANSWER_URL:-{{.AnswerURL}}}" ||
	fail "the answer could not be filed."
python3 "$(dirname "$0")/run.py" || fail "the program could not be run."
{{- end}}

status=$(ask text/plain "$logs/score.txt") || fail "the judge at $judge cannot be reached."
[ "$status" = 200 ] || fail "the judge at $judge responds with status $status." "$logs/score.txt"
score=$(cat "$logs/score.txt")
case $score in
'' | *[!0-9.]*) fail "the judge at $judge responds with no number." "$logs/score.txt" ;;
esac
echo "$score" >"$logs/reward.txt"
rm -f "$logs/score.txt"

status=$(ask application/json "$logs/grade.json") && [ "$status" = 200 ] && cat "$logs/grade.json"
echo "The reward is $score."
