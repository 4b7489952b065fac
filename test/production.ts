// Production servers inside the test's process, with a clock that stands still.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { type Mode, readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { movableClock } from './movable-clock.ts'
import { createDatabase } from './postgres.ts'
import { type Answer, type EngineName, WORLD_START_MS } from './world.ts'

export const PRODUCTION_ENV = {
  ROOKERY_NETWORK: 'devnet',
  // Channels get addresses below it. Tests reach pages where they are served.
  ROOKERY_PUBLIC_URL: 'http://social.example',
  ROOKERY_HOST: '127.0.0.1',
  ROOKERY_HUB_PORT: '0',
  ROOKERY_GRPC_PORT: '0',
  ROOKERY_REGISTRY_PORT: '0',
  ROOKERY_PLATFORM_PORT: '0',
  ROOKERY_ACCOUNTS_PORT: '0',
  ROOKERY_WEB_PORT: '0',
  ROOKERY_APP_PORT: '0',
  ROOKERY_OPS_PORT: '0',
  // Kept by a thread, for tests that read them.
  ROOKERY_VIEWS: 'off',
  ROOKERY_LOG_LEVEL: 'fatal',
  ROOKERY_CONFIRMATION_MS: '0',
  ROOKERY_SIGNUP: 'open',
  ROOKERY_BADGE_MAX: '0',
  ROOKERY_OPS_TOKEN: 'operator-of-the-tests',
  ROOKERY_SIGNER_SECRET: `0x${'5e'.repeat(32)}`,
} as const

/** The settings of an empty store, which is removed after the test. */
export async function emptyStore(
  t: TestContext,
  engine: EngineName = 'sqlite',
): Promise<Record<string, string>> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-production-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  if (engine === 'sqlite') return { ROOKERY_DATA_DIR: dir }
  const database = await createDatabase()
  t.after(() => database.drop())
  return { ROOKERY_DATA_DIR: dir, DATABASE_URL: database.url }
}

/** Starts a server, which is stopped after the test at the latest. */
export async function startServer(
  t: TestContext,
  env: Readonly<Record<string, string>>,
  mode: Mode = 'production',
): Promise<App> {
  const app = await startApp({
    config: readConfig({ ...PRODUCTION_ENV, ...env }, mode),
    clock: movableClock({ now: () => WORLD_START_MS }),
    logger: createLogger({ level: 'fatal' }),
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= app.stop()
    return stopped
  }
  t.after(stop)
  return { ...app, stop }
}

/** A JSON request; POST when there is a body. */
export async function ask(url: string, body?: unknown, headers = {}): Promise<Answer> {
  const response = await fetch(url, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}
