#!/usr/bin/env node
// The `rookery` command: runs src/main.ts with the same arguments and the pinned Node.
process.argv.splice(2, 0, 'src/main.ts')
await import('./run.mjs')
