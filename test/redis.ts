// A throw-away Redis server.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram } from './debian.ts'
import { PATIENCE_MS } from './patience.ts'
import { freePort } from './postgres.ts'

/** Starts Debian's redis-server, which is installed when there is none. */
export async function startRedis(): Promise<{ url: string; stop(): Promise<void> }> {
  const program = await findProgram(['redis-server'], 'redis-server')
  const dir = mkdtempSync(join(tmpdir(), 'rookery-redis-'))
  const port = await freePort()
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir]
  const child = spawn(program, settings, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  for (const end = performance.now() + PATIENCE_MS; !(await accepts(port)); await sleep(20)) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`)
    if (performance.now() > end) throw new Error('redis-server accepts no connections')
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill()
      await ended
      process.off('exit', kill)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
