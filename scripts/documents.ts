// The OpenAPI documents of a development server on an empty store, by the name of the interface.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are read by path
export type Documents = Record<string, any>

const PORTS = ['HUB', 'GRPC', 'REGISTRY', 'PLATFORM', 'ACCOUNTS', 'APP', 'WEB', 'OPS']

/** Reads the documents of a server that is started for it. */
export async function readDocuments(): Promise<Documents> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-openapi-'))
  const env = {
    ...Object.fromEntries(PORTS.map((name) => [`ROOKERY_${name}_PORT`, '0'])),
    ROOKERY_DATA_DIR: dir,
    ROOKERY_BADGE_MAX: '0',
    ROOKERY_OPS_TOKEN: 'token-of-the-documents',
  }
  const app = await startApp({
    config: readConfig(env, 'development'),
    clock: Date,
    logger: createLogger({ level: 'fatal' }),
  })
  try {
    return await documentsOf(app)
  } finally {
    await app.stop()
    rmSync(dir, { recursive: true })
  }
}

/** The documents of a server that runs. */
export async function documentsOf({ urls }: Pick<App, 'urls'>): Promise<Documents> {
  // The front door has no routes of its own to describe.
  const { grpc: _, web: __, ...interfaces } = urls
  const documents: Documents = {}
  for (const [name, url] of Object.entries(interfaces)) {
    documents[name] = await (await fetch(`${url}/openapi.json`)).json()
  }
  return documents
}
