#!/usr/bin/env bash
# Package: eld 2.1.0 (its data "extrasmall"). Seen 2026-11-30.
# Expected: `isReliable()` is false for a text that has no sentence in it, or whose language the detector names wrongly.
# Seen: it is true for laughter, and for a greeting in English that is called Tagalog, with scores like those of real sentences. Who
#       shows its answer needs rules of their own for short texts.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact eld@2.1.0
cat >check.mjs <<'CODE'
import { eld } from 'eld/extrasmall'

for (const text of ['hahahahahahahahahaha', 'happy birthday dear Sophie', 'Guten Morgen zusammen, die Sonne scheint']) {
  const found = eld.detect(text)
  console.log(`${text}: ${found.language}, reliable: ${found.isReliable()}`)
}
CODE
node check.mjs >seen
diff - seen <<'OUTPUT'
hahahahahahahahahaha: tl, reliable: true
happy birthday dear Sophie: tl, reliable: true
Guten Morgen zusammen, die Sonne scheint: de, reliable: true
OUTPUT
echo 'as seen before'
