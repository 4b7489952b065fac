// Starts a development server on an empty store and checks the OpenAPI document of every interface.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/http/logger.ts'
import { lintOpenapi } from './openapi-lint.ts'

const dir = mkdtempSync(join(tmpdir(), 'rookery-openapi-'))
const ports = ['HUB', 'GRPC', 'REGISTRY', 'PLATFORM', 'ACCOUNTS', 'APP', 'WEB', 'OPS'].map(
  (name) => [`ROOKERY_${name}_PORT`, '0'],
)
const env = {
  ...Object.fromEntries(ports),
  ROOKERY_DATA_DIR: dir,
  ROOKERY_BADGE_MAX: '0',
  ROOKERY_OPS_TOKEN: 'a token for the lint',
}
const app = await startApp({
  config: readConfig(env, 'development'),
  clock: Date,
  logger: createLogger({ level: 'fatal' }),
})
let count = 0
// The front door has no routes of its own to describe.
const { grpc: _, web: __, ...interfaces } = app.urls
for (const [name, url] of Object.entries(interfaces)) {
  const document = await (await fetch(`${url}/openapi.json`)).json()
  for (const fault of lintOpenapi(document)) {
    console.error(`openapi of ${name}: ${fault}`)
    count += 1
  }
}
await app.stop()
rmSync(dir, { recursive: true })
process.exitCode = count === 0 ? 0 : 1
