// `rookery upgrade` against a production server that is restarted by a command, as systemd would do it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND_MS } from '../src/kernel/protocol/time.ts'
import { freePort } from './postgres.ts'
import { createPlace, type Program, startCommands, startProgram } from './program.ts'

const UPGRADE = ['upgrade', '--json', '--restart']
const TOKEN = 'a-token-of-the-operator'

const commands = startCommands()
after(() => commands.stop())

test('upgrade backs up, restarts and examines the server, and says what it runs', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-upgrade-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  // The proxy in front of the server.
  let answers = 0
  const proxy = createServer((_, response) => {
    // It is a while behind the restart.
    response.statusCode = answers++ === 0 ? 503 : 200
    response.end()
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => proxy.close())
  const place = await createPlace('sqlite')
  t.after(() => place.remove())
  const env = {
    ...place.env,
    ROOKERY_NETWORK: 'mainnet',
    ROOKERY_PUBLIC_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    ROOKERY_HOST: '127.0.0.1',
    ROOKERY_OPS_PORT: String(await freePort()),
    ROOKERY_OPS_TOKEN: TOKEN,
    ROOKERY_BACKUP_DIR: join(dir, 'backups'),
  }
  let server: Program = await startProgram('serve', env)
  t.after(() => server.stop())
  const as = { ROOKERY_OPS_URL: server.operations, ROOKERY_OPS_TOKEN: TOKEN }

  const failed = await commands.run(as, ...UPGRADE, 'echo no such unit >&2; exit 5')
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /could not be restarted .*: no such unit\n$/)

  // The command of the restart asks this test, which does it.
  const [asked, done] = [join(dir, 'asked'), join(dir, 'done')]
  const running = commands.run(
    as,
    ...UPGRADE,
    `touch ${asked}; while ! [ -e ${done} ]; do sleep 0.1; done`,
  )
  while (!existsSync(asked)) await delay(50)
  await server.stop()
  // The time of a start is told in seconds.
  await delay(SECOND_MS)
  server = await startProgram('serve', env)
  writeFileSync(done, '')
  const { code, stdout, stderr } = await running
  assert.equal(code, 0, stderr)
  const { before, after: now, backup, findings } = JSON.parse(stdout)
  assert.ok(now.startedAt > before.startedAt)
  assert.equal(now.schema, before.schema)
  assert.ok(existsSync(join(dir, 'backups', backup, 'rookery.sqlite')))
  assert.ok(
    findings.every(({ isFine }: { isFine: boolean }) => isFine),
    stderr,
  )
})
