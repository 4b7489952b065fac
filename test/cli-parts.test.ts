// What commands load and how help, manual and completion follow from one declaration.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { completionOf } from '../src/cli/completion.ts'
import { manualOf } from '../src/cli/manual.ts'
import { createProgram } from '../src/cli/program.ts'
import { ROOT } from './program.ts'

/** A start from the sources loads a module in about half a millisecond. */
const MAX_MODULES = 150

const leavesOf = (command: Command, path = ''): string[] =>
  command.commands.length === 0
    ? [path]
    : command.commands.flatMap((one) => leavesOf(one, `${path} ${one.name()}`.trim()))

test('a command that reads loads no library for signing by wallets and few modules', () => {
  const hook = `import { registerHooks } from 'node:module'
    const seen = []
    registerHooks({ load(url, context, next) { seen.push(url); return next(url, context) } })
    process.on('exit', () => console.log(JSON.stringify(seen)))`
  const env = {
    PATH: process.env.PATH,
    ROOKERY_HUB_URL: 'http://127.0.0.1:9',
    HOME: '/nonexistent',
  }
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(hook)}`,
    `${ROOT}src/main.ts`,
  ]
  const { stdout } = spawnSync(process.execPath, [...args, 'whoami'], { env, encoding: 'utf8' })
  const seen: string[] = JSON.parse(stdout)
  assert.ok(seen.some((url) => url.endsWith('/accounts/account.ts')))
  assert.deepEqual(
    seen.filter((url) => url.includes('/node_modules/viem/')),
    [],
  )
  assert.ok(seen.length < MAX_MODULES, `${seen.length} modules`)
})

test('every command is in a section of the help, in the manual and in the completion', async () => {
  const program = await createProgram({})
  const sections = new Set(program.commands.map((one) => one.helpGroup()))
  assert.deepEqual(
    [...sections],
    ['Use a network:', 'Build apps:', 'Operate a server:', 'Develop:'],
  )
  const manual = manualOf(program, '1.2.3').replaceAll('\\-', '-')
  const bash = completionOf(program, 'bash')
  const paths = leavesOf(program)
  assert.ok(paths.length > 90)
  for (const path of paths) {
    assert.match(manual, new RegExp(`^.fBrookery ${path}(?: .*)?.fR$`, 'm'))
    assert.ok(bash.includes(`'${path}')`), path)
  }
})

test('groff formats the manual without a warning', async (t) => {
  if (spawnSync('groff', ['--version']).status !== 0) return t.skip('groff is not installed')
  const dir = mkdtempSync(join(tmpdir(), 'rookery-manual-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'rookery.1')
  writeFileSync(file, manualOf(await createProgram({}), '1.2.3'))
  const { stdout, stderr } = spawnSync(
    'groff',
    ['-man', '-Tutf8', '-P-c', '-P-u', '-P-b', '-ww', file],
    {
      encoding: 'utf8',
    },
  )
  assert.equal(stderr, '')
  assert.match(stdout, /OPERATE A SERVER/)
})

test('the help of a command says what it does before it says which servers it asks', async () => {
  const program = await createProgram({}, ['cast'])
  const help = program.commands.find((one) => one.name() === 'cast')!.helpInformation()
  assert.ok(help.indexOf('--reply-to') < help.indexOf('Where it is:'))
  assert.ok(help.indexOf('Where it is:') < help.indexOf('--hub <url>'))
})
