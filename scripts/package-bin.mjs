#!/usr/bin/env node
// The `rookery` command of the published package: runs the program with the Node that it needs.
import { spawn } from 'node:child_process'
import module from 'node:module'
import { programStart } from '../dist/runtime.js'

const PARENT_POLL_MS = 200

/** They need the flags of Node that keep the memory of a server small. */
const SERVERS = ['start', 'serve', 'mirror']

let start
try {
  start = programStart(process.argv.slice(2))
} catch (error) {
  console.error(`rookery: ${error.message}`)
  process.exit(1)
}
// Other commands run in this process when its Node is new enough: a second one would take longer than most of them.
if (start.command === process.execPath && !SERVERS.includes(process.argv[2])) {
  module.enableCompileCache(start.env.NODE_COMPILE_CACHE)
  await import('../dist/main.js')
} else runAside()

function runAside() {
  const child = spawn(start.command, start.args, {
    stdio: 'inherit',
    env: { ...start.env, ...process.env },
  })
  // A terminal sends a signal to the whole process group. One that was sent to this process alone, as npm
  // and supervisors do, is passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGQUIT']) {
    process.on(signal, () => child.kill(signal))
  }
  // npx runs the command in a shell, which a signal ends without being passed on: what is left has another parent.
  if (process.env.npm_command === 'exec') {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), PARENT_POLL_MS).unref()
  }
  child.on('error', (error) => {
    console.error(`rookery: ${start.command} could not be started: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
