// Writes every generated file of the repository: the wire codec from proto/, the compiled contracts, pages
// of docs/, and the web pages that servers show.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileContracts } from './contracts.ts'
import { PAGES } from './pages.ts'
import { compressed, referenceScript } from './reference.ts'
import { sdkSchemas } from './sdk-schemas.ts'
import { BUILT, buildWeb } from './web.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
execFileSync('node_modules/.bin/buf', ['generate'], { cwd: root, stdio: 'inherit' })
for (const [file, content] of Object.entries(PAGES)) {
  writeFileSync(join(root, 'docs', file), content())
}
for (const [file, content] of Object.entries(compileContracts())) {
  writeFileSync(join(root, 'contracts', 'compiled', file), content)
}
writeFileSync(
  join(root, 'fixtures', 'app-api', 'sdk-schemas.json'),
  `${JSON.stringify(sdkSchemas(), null, 1)}\n`,
)
await buildWeb(BUILT)
const referenceDir = join(root, 'web', 'reference')
mkdirSync(referenceDir, { recursive: true })
writeFileSync(join(referenceDir, 'scalar.js.gz'), compressed(await referenceScript()))
copyFileSync(
  join(root, 'node_modules/@scalar/fastify-api-reference/LICENSE'),
  join(referenceDir, 'LICENSE'),
)
