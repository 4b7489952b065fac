// The files in deploy/ against the program: a setting, a metric or a path that they name has to exist.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { SETTING_GROUPS } from '../src/config.ts'
import { ROOT } from './program.ts'
import { createWorld } from './world.ts'

const read = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8')
const VARIABLES = new Set(
  SETTING_GROUPS.flatMap(({ settings }) => Object.values(settings).map((one) => one.variable)),
)

/** Words of PromQL and names of labels, which are no metrics. */
const METRIC = /\b(?:rookery|http|process|nodejs)_[a-z0-9_]+/g

/** A histogram is queried by the names of its parts. */
const baseOf = (metric: string): string => metric.replace(/_(?:bucket|count|sum)$/, '')

let known: Promise<Set<string>> | undefined
const knownMetrics = (): Promise<Set<string>> => {
  known ??= readMetrics()
  return known
}

async function readMetrics(): Promise<Set<string>> {
  const world = await createWorld({ env: { ROOKERY_BACKUP_DIR: '/dev/null/backups' } })
  try {
    const text = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
    const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!)
    // Some are registered only with standbys or a relayer.
    const declared = globSync('src/**/metrics.ts', { cwd: ROOT }).flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), 'utf8').matchAll(/'((?:rookery|http|grpc)_[a-z_]+)'/g),
      ].map(([, name]) => name!),
    )
    return new Set([...served, ...declared])
  } finally {
    await world.close()
  }
}

describe('the files in deploy/', () => {
  it('every metric of the dashboard and of the alert rules exists', async () => {
    const known = await knownMetrics()
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
      panels: { title: string; targets: { expr: string }[] }[]
    }
    const rules = [...read('alerts.yml').matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr!)
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    assert.ok(queries.length > 10 && rules.length > 5)
    for (const query of [...queries, ...rules]) {
      const names = query.replace(/\{[^}]*\}/g, '').match(METRIC) ?? []
      assert.ok(names.length > 0 || query.startsWith('up{'), query)
      for (const name of names) {
        assert.ok(known.has(name) || known.has(baseOf(name)), `${name} in ${query}`)
      }
    }
  })

  it("every metric, alert and setting that the operator's guide names exists", async () => {
    const guide = readFileSync(join(ROOT, 'docs', 'operators-guide.md'), 'utf8')
    const metrics = new Set(guide.match(METRIC) ?? [])
    const alerts = new Set(guide.match(/\bRookery[A-Z]\w+/g) ?? [])
    const settings = new Set(guide.match(/\bROOKERY_[A-Z_]+|\bDATABASE_(?:READ_)?URL\b/g) ?? [])
    assert.ok(metrics.size > 15 && alerts.size > 7 && settings.size > 6)
    const known = await knownMetrics()
    for (const name of metrics) assert.ok(known.has(name), name)
    const rules = read('alerts.yml')
    for (const name of alerts) assert.ok(rules.includes(`- alert: ${name}\n`), name)
    for (const name of settings) assert.ok(VARIABLES.has(name), name)
  })

  it('every alert is explained in the guide', () => {
    const guide = readFileSync(join(ROOT, 'docs', 'deploying.md'), 'utf8')
    for (const [, name] of read('alerts.yml').matchAll(/- alert: (\w+)/g)) {
      assert.ok(guide.includes(name!), `${name} is not explained`)
    }
  })

  it('every variable that the files set is a setting', () => {
    for (const file of ['Dockerfile', 'compose.yml', '.env.example', 'rookery.service']) {
      const names = read(file).match(/\bROOKERY_[A-Z_]+|\bDATABASE_URL\b/g) ?? []
      assert.ok(names.length > 0, file)
      for (const name of names) assert.ok(VARIABLES.has(name), `${name} in ${file}`)
    }
  })

  it('compose asks for every variable that its example names, and for no other', () => {
    const asked = [...read('compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    const named = [...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    assert.deepEqual([...new Set(asked)].sort(), named.sort())
  })

  it('the image and the unit run without root and without anything writable but their data', () => {
    const image = read('Dockerfile')
    const last = image.slice(image.lastIndexOf('FROM '))
    assert.match(last, /^USER 65532/m)
    assert.match(last, /^HEALTHCHECK /m)
    assert.doesNotMatch(last, /\bnpm\b|^RUN/m)
    const compose = read('compose.yml')
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true']) {
      assert.ok(compose.includes(line), line)
    }
    const unit = read('rookery.service')
    for (const line of [
      'DynamicUser=yes',
      'ProtectSystem=strict',
      'NoNewPrivileges=yes',
      'SystemCallFilter=@system-service',
    ]) {
      assert.ok(unit.includes(`\n${line}\n`), line)
    }
    // The default port of the front door, in the file of the proxy and in the check of health.
    assert.match(read('Caddyfile'), /reverse_proxy rookery:2290/)
    assert.match(image, /127\.0\.0\.1:2290\/health\/ready/)
    assert.ok(existsSync(join(ROOT, 'scripts', 'rookery.mjs')))
    assert.match(unit, /scripts\/rookery\.mjs serve/)
  })

  it('the image copies directories that its build makes, and backups go where they are kept', () => {
    const image = read('Dockerfile')
    const start = image.lastIndexOf('FROM ')
    const made = image.slice(0, start)
    const copied = [...image.slice(start).matchAll(/^COPY --from=build (?:--\S+ )?(\S+) /gm)]
    assert.equal(copied.length, 3)
    for (const [line, path] of copied) {
      assert.match(made, new RegExp(`^(?:WORKDIR|RUN mkdir -p).* ${path}(?: |$)`, 'm'), line)
    }
    const volumes = /^VOLUME (.+)$/m.exec(image)![1]!.split(' ')
    const backups = /ROOKERY_BACKUP_DIR: (\S+)/.exec(read('compose.yml'))![1]!
    assert.ok(volumes.includes(backups), backups)
    assert.ok(read('compose.yml').includes(`- backups:${backups}\n`))
    const unit = read('rookery.service')
    const state = /^StateDirectory=(.+)$/m.exec(unit)![1]!.split(' ')
    for (const name of ['DATA', 'BACKUP']) {
      const path = new RegExp(`ROOKERY_${name}_DIR=/var/lib/(\\S+)`).exec(unit)![1]!
      assert.ok(state.includes(path), path)
    }
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  it('systemd accepts the unit', { skip: !hasSystemd && 'no systemd-analyze' }, (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'rookery-unit-'))
    t.after(() => rmSync(dir, { recursive: true, force: true }))
    const file = join(dir, 'rookery.service')
    writeFileSync(file, read('rookery.service').replace('/usr/bin/node', process.execPath))
    // Unknown keys are warnings; other units of the machine may have theirs.
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    })
    assert.deepEqual(
      stderr.split('\n').filter((line) => line.includes('rookery')),
      [],
    )
  })
})
