// Names what fixtures/app-api/sdk-schemas.json is made from, without the seconds that making it takes.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['@neynar/nodejs-sdk', 'ts-json-schema-generator']

/** The installed versions of the client and of the generator, and the digest of our own part. */
export function sdkSource(): Record<string, string> {
  const versions = PACKAGES.map((name) => {
    const manifest = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')
    return [name, JSON.parse(manifest).version] as const
  })
  const script = readFileSync(join(root, 'scripts', 'sdk-schemas.ts'))
  const digest = createHash('sha256').update(script).digest('hex')
  return { ...Object.fromEntries(versions), 'scripts/sdk-schemas.ts': digest }
}
