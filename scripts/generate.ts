// Writes the generated files of the repository. `npm run generate` writes all, `npm run generate -- web docs`
// only those.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const STEPS: Readonly<Record<string, () => void | Promise<void>>> = {
  /** The wire codec from proto/. */
  codec() {
    execFileSync('node_modules/.bin/buf', ['generate'], { cwd: root, stdio: 'inherit' })
  },
  /** Pages of docs/ that follow from declarations. */
  async docs() {
    const { PAGES } = await import('./pages.ts')
    for (const [file, content] of Object.entries(PAGES)) {
      writeFileSync(join(root, 'docs', file), content())
    }
  },
  /** The types of `rookery/client` and `rookery/testing`, and the calls of the command line, from what the server declares. */
  async client() {
    const { clientTypes, faultType } = await import('./client-types.ts')
    const { cliCalls } = await import('./cli-calls.ts')
    const documents = await (await import('./documents.ts')).readDocuments()
    for (const [file, content] of Object.entries(await clientTypes(documents))) {
      writeFileSync(join(root, 'src/client/generated', file), content)
    }
    writeFileSync(join(root, 'src/cli/generated/calls.ts'), cliCalls(documents))
    writeFileSync(join(root, 'src/testing/generated/fault.ts'), await faultType())
  },
  /** The compiled contracts. */
  async contracts() {
    const { compileContracts } = await import('./contracts.ts')
    for (const [file, content] of Object.entries(compileContracts())) {
      writeFileSync(join(root, 'contracts', 'compiled', file), content)
    }
  },
  /** JSON schemas of the stock SDK's answers, which tests hold the app API against. */
  async schemas() {
    const { sdkSchemas } = await import('./sdk-schemas.ts')
    const { sdkSource } = await import('./sdk-source.ts')
    const text = `${JSON.stringify({ source: sdkSource(), ...sdkSchemas() }, null, 1)}\n`
    writeFileSync(join(root, 'fixtures', 'app-api', 'sdk-schemas.json'), text)
  },
  /** The texts of declarations as messages, and the catalogues of translations: what is new and what has gone. */
  async languages() {
    const { writeDeclared } = await import('./declared.ts')
    const { writeCatalogues } = await import('./catalogues.ts')
    writeDeclared()
    writeCatalogues()
  },
  /** The web pages that servers show. */
  async web() {
    const { BUILT, buildWeb } = await import('./web.ts')
    await buildWeb(BUILT)
  },
  /** The script of the API reference. */
  async reference() {
    const { compressed, referenceScript } = await import('./reference.ts')
    const dir = join(root, 'web', 'reference')
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'scalar.js.gz'), compressed(await referenceScript()))
    const license = 'node_modules/@scalar/fastify-api-reference/LICENSE'
    copyFileSync(join(root, license), join(dir, 'LICENSE'))
  },
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !STEPS[name])
if (unknown.length > 0) {
  console.error(
    `nothing is named ${unknown.join(', ')}; there are ${Object.keys(STEPS).join(', ')}`,
  )
  process.exit(1)
}
for (const [name, write] of Object.entries(STEPS)) {
  if (names.length === 0 || names.includes(name)) await write()
}
