// The example of a snap, run as its readers run it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from './postgres.ts'
import { ROOT } from './program.ts'

/** Starts it for the network whose front door is `web`. */
export async function startExampleSnap(web: string, given?: number) {
  const port = String(given ?? (await freePort()))
  const child = spawn(process.execPath, [join(ROOT, 'examples/snap/server.js')], {
    env: { PATH: process.env.PATH, ROOKERY: web, PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return { url: `http://localhost:${port}/`, stop: () => void child.kill('SIGKILL') }
}
