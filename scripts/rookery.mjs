#!/usr/bin/env node
// The `rookery` command: the pinned Node runs src/main.ts with the same arguments.
process.argv.splice(2, 0, 'src/main.ts')
await import('./run.mjs')
