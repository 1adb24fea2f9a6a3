#!/bin/sh
# {{.Canary}}
# Writes the score as the reward, 0 to 1: the company has graded the try and left score.txt and grade.json. Without a
# score there is no reward, not a reward of 0.
set -eu
graded=${PLATEN_GRADE_DIR:-{{.GradeFolder}}}
logs=${PLATEN_LOGS_DIR:-/logs/verifier}

mkdir -p "$logs"
rm -f "$logs/reward.txt" "$logs/grade.json"
score=$(cat "$graded/score.txt")
case $score in
'' | *[!0-9.]*)
	echo "There is no score: \"$score\" is no number." >&2
	exit 1
	;;
esac
cp "$graded/grade.json" "$logs/grade.json"
cat "$logs/grade.json"
echo "$score" >"$logs/reward.txt"
echo "The reward is $score."
