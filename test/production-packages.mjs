// Loaded before a server (`node --import`): refuses every package that package-lock.json installs for development
// only, as if `npm ci --omit=dev` had left it out.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))
const absent = Object.keys(packages).filter((path) => packages[path].dev)

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const path = resolved.url.startsWith('file:') ? fileURLToPath(resolved.url) : ''
    const found = absent.find((one) => path.startsWith(`${root}${one}/`))
    if (found) throw new Error(`${specifier} is in ${found}, which production does not install`)
    return resolved
  },
})
