// Runs every example of the README and the guides as written against the program, apart from ports and from
// `npm run rookery`, which only as-deployed.test.ts and TEST_LONG=1 run by npm: that is three processes for each command.
// Lines that begin with #> state text that the output contains. TEST_LONG=1 runs examples that name no engine
// on both engines.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { LONG } from './effort.ts'
import {
  COMPILE_CACHE,
  createPlace,
  type Env,
  PROGRAM,
  type Program,
  ROOT,
  startProgram,
} from './program.ts'
import { ENGINES, type EngineName } from './world.ts'

const FILES = [
  'README.md',
  'docs/hub.md',
  'docs/keys.md',
  'docs/operating.md',
  'docs/platform.md',
  'docs/sign-in.md',
  'docs/mini-apps.md',
  'docs/app-api.md',
  'docs/client.md',
  'docs/guide/use.md',
  'docs/guide/build.md',
]

const COMMAND = LONG ? 'npm run -s rookery --' : `'${process.execPath}' '${PROGRAM}'`

type Example = { file: string; line: number; script: string; expected: string[]; engine?: string }

function examplesOf(file: string): Example[] {
  const text = readFileSync(`${ROOT}${file}`, 'utf8')
  return [...text.matchAll(/^```sh ?(\w*)\n(.*?)^```$/gms)].map((match) => {
    const [, engine, script = ''] = match
    const expected = [...script.matchAll(/^#> (.*)$/gm)].map(([, words]) => words!)
    const line = text.slice(0, match.index).split('\n').length
    return { file, line, script, expected, ...(engine && { engine }) }
  })
}

for (const engine of ENGINES) {
  const runs = ({ engine: only }: Example) =>
    only === undefined ? engine === 'sqlite' || LONG : only === (engine as EngineName)
  const examples = FILES.flatMap(examplesOf).filter(runs)
  if (examples.length === 0) continue

  describe(`the documentation's examples on ${engine}`, () => {
    let program: Program
    let place: Awaited<ReturnType<typeof createPlace>>
    before(async () => {
      place = await createPlace(engine)
      program = await startProgram('start', { ...place.env, ROOKERY_VIEWS: 'on' })
      // The guide of the app API reads what the development network was seeded with.
      await viewsAreBuilt(program.web)
    })
    after(async () => {
      await program.stop()
      await place.remove()
    })

    for (const example of examples) {
      it(`the example of ${example.file} line ${example.line} runs as written`, async () => {
        const script = example.script
          .replaceAll('/tmp/', `${place.env.ROOKERY_DATA_DIR}/`)
          .replaceAll('http://127.0.0.1:2290', program.web)
          .replaceAll('http://127.0.0.1:2281', program.hub)
          .replaceAll('http://127.0.0.1:2286', program.platform)
          .replaceAll('http://127.0.0.1:2287', program.accounts)
          .replaceAll('http://127.0.0.1:2280', program.operations)
          .replaceAll('npm run -s rookery --', COMMAND)
          .replaceAll('backup-monday', `${place.env.ROOKERY_DATA_DIR}/backup-monday`)
        const { code, output } = await shell(script, { ...place.env, ...program.client })
        assert.equal(code, 0, output)
        for (const words of example.expected)
          assert(output.includes(words), `${words} in: ${output}`)
      })
    }
  })
}

/** Resolves when the app API answers. */
async function viewsAreBuilt(web: string): Promise<void> {
  const headers = { 'x-api-key': DEVELOPMENT_KEY }
  const url = `${web}/app/v2/farcaster/user/bulk?fids=1`
  for (let status = 503; status === 503; ) {
    await delay(50)
    status = (await fetch(url, { headers })).status
  }
}

async function shell(script: string, env: Env): Promise<{ code: number; output: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: ROOT,
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}
