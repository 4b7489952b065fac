// `rookery init` and `rookery doctor`: what is written starts a server, and what is wrong is named.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { readConfig } from '../src/config.ts'
import { startMailServer } from './mail-support.ts'
import { createDatabaseOf } from './postgres.ts'
import { emptyStore, PRODUCTION_ENV, startServer } from './production.ts'
import { startCommands } from './program.ts'
import { createWorld } from './world.ts'

const dir = mkdtempSync(join(tmpdir(), 'rookery-setup-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const out = join(dir, 'files')
const HOST = ['init', '--host', 'social.example.org', '--yes']

describe('the commands that set a server up', { concurrency: 1 }, () => {
  const commands = startCommands()
  after(() => commands.stop())
  const rookery = (args: readonly string[]) => commands.run({}, ...args)

  it('init writes settings, unit and Caddyfile once, and prints three commands', async () => {
    const places = ['--data-dir', join(dir, 'data'), '--name', 'Book club', '--out', out]
    const { code, stdout, stderr } = await rookery([...HOST, ...places, '--force'])
    assert.equal(code, 0, stderr)
    assert.match(stdout, /install -D.*systemctl enable --now rookery.*doctor --wait 60/s)
    const [, code_] = /https:\/\/social\.example\.org\/join\?invite=(\w+)$/m.exec(stdout)!
    const env = readFileSync(join(out, 'env'), 'utf8')
    assert.equal(statSync(join(out, 'env')).mode & 0o777, 0o600)
    const config = readConfig(parseEnv(env) as Record<string, string>, 'production')
    assert.deepEqual(
      [config.publicUrl, config.serverName, config.signup, config.host, config.backupKeep],
      ['https://social.example.org', 'Book club', 'invite', '127.0.0.1', 7],
    )
    assert.equal(config.firstInvite, code_)
    assert.equal(config.recoveryDays, 7)
    const caddy = readFileSync(join(out, 'Caddyfile'), 'utf8')
    assert.match(caddy, /^social\.example\.org \{$/m)
    assert.match(caddy, /reverse_proxy 127\.0\.0\.1:2290/)
    const unit = readFileSync(join(out, 'rookery.service'), 'utf8')
    assert.ok(unit.includes(`ReadWritePaths=${join(dir, 'data')}`))
    assert.ok(!unit.includes('/opt/rookery') && unit.includes('\nUser=rookery\n'))
    const again = await rookery([...HOST, '--out', out, '--force'])
    assert.notEqual(again.code, 0)
    assert.match(again.stderr, /env is there already, .* --out/)
    assert.equal(readFileSync(join(out, 'env'), 'utf8'), env)
  })

  it('init writes a compose file of this clone with everything that it names beside it', async () => {
    const files = join(dir, 'compose')
    const choices = ['--with', 'compose', '--signup', 'open', '--recovery-days', '0']
    const options = [...HOST, ...choices, '--out', files, '--force']
    const { code, stdout, stderr } = await rookery(options)
    assert.equal(code, 0, stderr)
    assert.match(
      stdout,
      /docker compose -f \S+compose\.yml up -d --build\n.*exec rookery rookery doctor --wait 60/s,
    )
    assert.match(
      stdout,
      /first account, which is the operator's: https:\/\/social\.example\.org\/join\?invite=\w+$/m,
    )
    assert.match(
      stdout,
      /ssh -L 2280:127\.0\.0\.1:2280 social\.example\.org\n.*\/operator with ROOKERY_OPS_TOKEN of \S+\.env\.$/m,
    )
    const text = readFileSync(join(files, 'compose.yml'), 'utf8')
    const context = /context: ([^,]+),/.exec(text)![1]!
    assert.ok(existsSync(join(context, 'deploy', 'Dockerfile')))
    for (const [, file] of text.matchAll(/- \.\/([^:]+):/g)) {
      assert.ok(existsSync(join(files, file!)), file!)
    }
    const env = parseEnv(readFileSync(join(files, '.env'), 'utf8')) as Record<string, string>
    assert.deepEqual([env.HOST_NAME, env.ROOKERY_BACKUP_DIR], ['social.example.org', '/backups'])
    // Who looks at dashboards is not the operator.
    assert.match(env.GRAFANA_PASSWORD!, /^[0-9a-f]{48}$/)
    assert.notEqual(env.GRAFANA_PASSWORD, env.ROOKERY_OPS_TOKEN)
    assert.match(env.ROOKERY_FIRST_INVITE!, /^\w{20,30}$/)
    assert.equal(env.ROOKERY_RECOVERY_DAYS, undefined)
    assert.equal(statSync(join(files, '.env')).mode & 0o777, 0o600)
  })

  it('init says how the owner of a server where nobody may join gets an account', async () => {
    const options = ['--signup', 'closed', '--out', join(dir, 'closed'), '--force']
    const { code, stdout, stderr } = await rookery([...HOST, ...options])
    assert.equal(code, 0, stderr)
    assert.doesNotMatch(stdout, /\/join\?invite/)
    assert.match(
      stdout,
      /closed\. For your own account.*\n.*ssh -L 2280:127\.0\.0\.1:2280 social\./,
    )
    assert.match(
      stdout,
      /127\.0\.0\.1:2280\/operator with ROOKERY_OPS_TOKEN of \/etc\/rookery\/env/,
    )
    assert.match(stdout, /“Who may join”, choose “who has an invite”.*the role operator/)
  })

  it('init and doctor try the mail server of the environment, and init writes it', async () => {
    const server = await startMailServer()
    try {
      const files = join(dir, 'mail')
      const env = { ROOKERY_SMTP_URL: server.url }
      const run = (url: string) =>
        commands.run({ ROOKERY_SMTP_URL: url }, ...HOST, '--out', files, '--force')
      const { code, stderr } = await commands.run(env, ...HOST, '--out', files, '--force')
      assert.equal(code, 0, stderr)
      assert.match(stderr, /ok +e-mail: 127\.0\.0\.1:\d+ takes mail from rookery@social\.example/)
      const written = parseEnv(readFileSync(join(files, 'env'), 'utf8'))
      assert.equal(written.ROOKERY_SMTP_URL, server.url)
      const wrong = await run(server.url.replace('rookery:', 'rookery:not-'))
      assert.match(wrong.stderr, /does not accept the login/)
      const unreadable = await run('mail://rookery:s3cret@mail.example')
      assert.match(unreadable.stderr, /ROOKERY_SMTP_URL cannot be that/)
      assert.doesNotMatch(wrong.stderr + unreadable.stderr, /p%40ss|p@ss|s3cret/)
    } finally {
      await server.close()
    }
  })

  it('a dry run writes nothing, and what cannot be is refused by the name of its flag', async () => {
    const nowhere = join(dir, 'nowhere')
    const dry = await rookery([...HOST, '--out', nowhere, '--dry-run', '--json'])
    assert.equal(dry.code, 0, dry.stderr)
    assert.deepEqual(
      JSON.parse(dry.stdout).files.map(({ name }: { name: string }) => name),
      ['env', 'rookery.service', 'Caddyfile'],
    )
    assert.equal(existsSync(nowhere), false)
    for (const [flags, name] of [
      [['init', '--yes'], '--host'],
      [['init', '--yes', '--host', 'http://x'], '--host'],
      [[...HOST, '--signup', 'maybe'], '--signup'],
      [[...HOST, '--recovery-days', '91'], '--recovery-days'],
      [[...HOST, '--with', 'luck'], '--with'],
      [[...HOST, '--name', 'a"$(id)'], '--name'],
      [[...HOST, '--data-dir', 'relative'], '--data-dir'],
    ] as const) {
      const { code, stderr } = await rookery([...flags, '--dry-run'])
      assert.equal(code, 1)
      assert.ok(stderr.includes(name), stderr)
    }
  })

  it('a name may have umlauts and quotation marks, and the shell reads it from the settings as it was typed', async () => {
    for (const [i, name] of [`Küche & 'Garten'`, 'The "best" club'].entries()) {
      const files = join(dir, `name-${i}`)
      const { code, stderr } = await rookery([...HOST, '--name', name, '--out', files, '--force'])
      assert.equal(code, 0, stderr)
      const script = '. "$0"; printf %s "$ROOKERY_SERVER_NAME"'
      const { stdout } = spawnSync('sh', ['-euc', script, join(files, 'env')], { encoding: 'utf8' })
      assert.equal(stdout, name)
      assert.equal(parseEnv(readFileSync(join(files, 'env'), 'utf8')).ROOKERY_SERVER_NAME, name)
    }
    const { stderr } = await rookery([...HOST, '--name', `'both" kinds`, '--dry-run'])
    assert.match(stderr, /--name cannot be .*: 1 to 60 characters without .* not with both/)
  })

  it('init says that the unit hides data in a home from the server', async () => {
    const { stderr } = await rookery([...HOST, '--data-dir', '/home/anna/data', '--dry-run'])
    assert.match(stderr, /^wrong program: .*\/home\/anna\/data cannot be seen by the service\./m)
  })

  it('doctor says why a server does not start: a setting that is wrong, a port of another program', async (t) => {
    const port = createServer().listen(0, '127.0.0.1')
    await once(port, 'listening')
    t.after(() => port.close())
    const env = {
      ...PRODUCTION_ENV,
      ROOKERY_OPS_URL: 'http://127.0.0.1:9',
      ROOKERY_APP_PORT: String((port.address() as AddressInfo).port),
    }
    const taken = await commands.run(env, 'doctor')
    assert.match(taken.stdout, /^wrong server: nothing answers/m)
    assert.match(taken.stdout, new RegExp(`^wrong ports: ${env.ROOKERY_APP_PORT} in use`, 'm'))
    const { code, stdout } = await commands.run({ ...env, ROOKERY_SIGNUP: 'maybe' }, 'doctor')
    assert.equal(code, 1)
    assert.match(stdout, /^wrong settings: ROOKERY_SIGNUP must be one of .* \/etc\/rookery\/env/m)
    const invites = await commands.run(env, 'invite', 'list')
    assert.match(invites.stderr, /cannot be reached .* See: .*doctor\n$/)
  })

  it('doctor says that the address of a production server does not answer, and waits for it when it is told to', async (t) => {
    const proxy = createServer().listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    proxy.close()
    const app = await startServer(t, { ...(await emptyStore(t)), ROOKERY_PUBLIC_URL: url })
    const { ROOKERY_OPS_TOKEN } = PRODUCTION_ENV
    const as = { ROOKERY_OPS_URL: app.urls.operations, ROOKERY_OPS_TOKEN }
    const { code, stdout } = await commands.run(as, 'doctor')
    assert.equal(code, 1)
    assert.match(stdout, new RegExp(`^wrong address: ${url} cannot be reached`, 'm'))
    const waiting = commands.run(as, 'doctor', '--wait', '60', '--json')
    const back = createHttpServer((_, response) => response.end())
    back.listen(Number(new URL(url).port), '127.0.0.1')
    t.after(() => back.close())
    const { findings } = JSON.parse((await waiting).stdout)
    const address = findings.find(({ what }: { what: string }) => what === 'address')
    assert.deepEqual([address.isFine, address.found], [true, `${url} answers`])
  })

  it('doctor asks a server on PostgreSQL for no backups, which are those of the database', async (t) => {
    const world = await createWorld({ engine: 'postgres' })
    t.after(() => world.close())
    const { stdout } = await rookery(['doctor', '--operations', world.app.urls.operations])
    assert.match(stdout, /^ok {4}backups: made with the tools of PostgreSQL/m)
  })

  it('doctor says that a trusted proxy does not name its clients by their addresses', async (t) => {
    const world = await createWorld({ env: { ROOKERY_TRUSTED_PROXIES: '127.0.0.1' } })
    t.after(() => world.close())
    const { hub, operations } = world.app.urls
    const line = async (forwardedFor: string) => {
      await fetch(`${hub}/v1/info`, { headers: { 'x-forwarded-for': forwardedFor } })
      const { stdout } = await rookery(['doctor', '--operations', operations])
      return stdout.split('\n').find((one) => one.includes(' proxy: '))!
    }
    assert.match(await line('203.0.113.4:5000'), /^ok /)
    assert.match(await line('unknown'), /^wrong proxy: .*"unknown", which is no address.*restart/)
  })

  it('doctor says that a database has the wrong encoding, and the command that makes a right one', async (t) => {
    const { url, name } = await createDatabaseOf(t, 'LATIN1')
    const env = {
      ...PRODUCTION_ENV,
      ROOKERY_OPS_URL: 'http://127.0.0.1:9',
      ROOKERY_DATA_DIR: join(dir, 'none'),
      DATABASE_URL: url,
    }
    const { code, stdout } = await commands.run(env, 'doctor')
    assert.equal(code, 1)
    assert.match(
      stdout,
      new RegExp(`^wrong database: .*"${name}" has the encoding LATIN1.*CREATE DATABASE`, 'm'),
    )
    const started = await commands.run(env, 'serve')
    assert.notEqual(started.code, 0)
    assert.match(started.stdout + started.stderr, /has the encoding LATIN1.*CREATE DATABASE/)
  })

  it('doctor names a server that does not answer, and what is wrong with one that does', async (t) => {
    const dead = await rookery(['doctor', '--operations', 'http://127.0.0.1:9'])
    assert.equal(dead.code, 1)
    assert.match(
      dead.stdout,
      /wrong server: nothing answers .* (?:systemctl restart rookery|restart the server)\./,
    )
    const env = { ROOKERY_VIEWS: 'on', ROOKERY_DISK_QUOTA_GIB: '0.0001' }
    const world = await createWorld({ env })
    t.after(() => world.close())
    const { code, stdout } = await rookery(['doctor', '--operations', world.app.urls.operations])
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^wrong quota: [\d.]+ MiB are used, \d{3,} % of 0\.1 MiB\. To mend it: .* ROOKERY_DISK_QUOTA_GIB/m,
    )
    assert.match(stdout, /^ok {4}server: ready$/m)
    assert.match(stdout, /^ok {4}views: complete$/m)
    assert.match(stdout, /^ok {4}e-mail: none is sent: no mail server is set up$/m)
    assert.match(stdout, /^wrong backups: none are made\. To mend it: Set ROOKERY_BACKUP_DIR/m)
    // As an earlier version, which lacks the calls.
    const other = await rookery(['doctor', '--operations', world.app.urls.hub])
    assert.equal(other.code, 1)
    assert.match(other.stderr, /not the operations interface of this version/)
  })
})
