#!/usr/bin/env bash
# Package: @farcaster/snap 2.0.0. Seen 2026-11-29.
# Expected: version 2.0.0 of the package takes pages of version 2.0 of the format.
# Seen: it takes version "1.0" alone; a page of version 2.0 is refused. In pages that it takes it looks at no element.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
# Its peers draw pages, which nobody does here.
npm install --silent --save-exact --legacy-peer-deps @farcaster/snap@2.0.0 zod@4.1.12
cat >check.mjs <<'CODE'
import { validateSnapResponse } from '@farcaster/snap'

const page = (version, element) => ({ version, ui: { root: 'a', elements: { a: element } } })
const text = { type: 'text', props: { content: 'Hello' } }
const show = (what, given) => console.log(what, validateSnapResponse(given).valid)
show('version 1.0:', page('1.0', text))
show('version 2.0:', page('2.0', text))
show('version 1.0 with an element of no known type:', page('1.0', { type: 'sculpture' }))
CODE
node check.mjs >seen
diff - seen <<'OUTPUT'
version 1.0: true
version 2.0: false
version 1.0 with an element of no known type: true
OUTPUT
echo 'as seen before'
