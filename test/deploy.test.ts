// The files in deploy/ against the program: a setting, a metric or a path that they name has to exist.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse as parseYaml } from 'yaml'
import { readConfig, SETTING_GROUPS } from '../src/config.ts'
import { MAX_PICTURE_BYTES } from '../src/features/media/prepare.ts'
import { HEARTBEAT_MS } from '../src/kernel/http/server-sent-events.ts'
import { type Instruction, stagesOf } from './dockerfile.ts'
import { contextOf } from './dockerignore.ts'
import { emptyStore, PRODUCTION_ENV, startServer } from './production.ts'
import { ROOT } from './program.ts'
import { createWorld } from './world.ts'

const DEPLOY = join(ROOT, 'deploy')
const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')

type Service = {
  readonly image?: string
  readonly build?: object
  readonly restart?: string
  readonly read_only?: boolean
  readonly cap_drop?: string[]
  readonly security_opt?: string[]
  readonly ports?: string[]
  readonly healthcheck?: object
  readonly environment?: Record<string, string>
  readonly profiles?: string[]
  readonly secrets?: string[]
  readonly volumes?: string[]
  readonly networks?: string[] & Record<string, { ipv4_address: string }>
  readonly depends_on?: string[] | object
  readonly logging: { options: Record<string, string> }
}
type Compose = {
  readonly services: Record<string, Service>
  readonly networks: Record<string, { internal?: boolean }>
  readonly volumes: Record<string, unknown>
  readonly secrets: Record<string, object>
}

const compose = (): Compose => parseYaml(read('compose.yml'), { merge: true }) as Compose

/** What `npm run bench` keeps the image below (docs/performance.md). */
const SERVER_BYTES = 300e6
/** See src/kernel/base/pictures/render.ts. */
const DECODER_BYTES = 300e6

/** Names of a list or of the keys of an object. */
const namesOf = (one: string | object | undefined): string[] =>
  typeof one === 'string' ? [one] : Object.keys(one ?? {})
const VARIABLES = new Set(
  SETTING_GROUPS.flatMap(({ settings }) => Object.values(settings).map((one) => one.variable)),
)

/** Words of PromQL and names of labels, which are no metrics. */
const METRIC = /\b(?:rookery|http|process|nodejs)(?:_[a-z0-9]+)+\b(?!_)/g

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

/** The example of settings, filled in: as it is, or with the lines of PostgreSQL. */
function exampleSettings(profile: string): Record<string, string> {
  const secrets: Record<string, string> = {
    ROOKERY_OPS_TOKEN: 'a-token-of-24-characters',
    ROOKERY_REGISTRY_KEY: `0x${'42'.repeat(32)}`,
    ROOKERY_SIGNER_SECRET: `0x${'5e'.repeat(32)}`,
    POSTGRES_PASSWORD: 'secret',
  }
  const lines = [...read('.env.example').matchAll(/^(# )?(\w+)=(.*)$/gm)]
    .filter(([, comment]) => comment === undefined || profile === 'postgres')
    .map(([, , name, value]) => [name!, secrets[name!] ?? value!.replace(/<.*>/, 'secret')])
  const settings = Object.fromEntries(lines)
  if (profile === 'postgres') delete settings.ROOKERY_BACKUP_DIR
  return settings
}

describe('the files in deploy/', () => {
  it('every metric of the dashboard and of the alert rules exists', async () => {
    const known = await knownMetrics()
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
      panels: { title: string; targets: { expr: string }[] }[]
    }
    const { groups } = parseYaml(read('alerts.yml')) as {
      groups: { rules: { expr: string; alert: string; annotations: { summary: string } }[] }[]
    }
    const rules = groups.flatMap((group) => group.rules.map(({ expr }) => expr))
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

  it('every metric, alert and setting that the pages for operators name exists', async () => {
    const pages = ['operators-guide.md', 'operating.md', 'deploying.md']
    const guide = pages.map((page) => readFileSync(join(ROOT, 'docs', page), 'utf8')).join('\n')
    const metrics = new Set(guide.match(METRIC) ?? [])
    const alerts = new Set(guide.match(/\bRookery[A-Z]\w+/g) ?? [])
    const settings = new Set(
      guide.match(/\bROOKERY(?:_[A-Z0-9]+)+\b(?!_)|\bDATABASE_(?:READ_)?URL\b/g) ?? [],
    )
    assert.ok(metrics.size > 15 && alerts.size > 7 && settings.size > 20)
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

  it('the example of settings names every variable that compose asks for', () => {
    const asked = [...read('compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!)
    const named = [...read('.env.example').matchAll(/^(?:# )?(\w+)=/gm)].map(([, name]) => name!)
    assert.deepEqual(
      asked.filter((name) => !named.includes(name)),
      [],
    )
    assert.deepEqual(
      named.filter((name) => !asked.includes(name) && !VARIABLES.has(name)),
      ['COMPOSE_PROFILES'],
    )
  })

  it('a profile of compose reads the metrics with the token, and shows them', () => {
    const { services, secrets } = compose()
    const { scrape_configs, rule_files } = parseYaml(read('metrics/prometheus.yml'))
    const [{ job_name, authorization, static_configs }] = scrape_configs
    const [secret] = services.prometheus!.secrets!
    assert.equal(authorization.credentials_file, `/run/secrets/${secret}`)
    assert.deepEqual(secrets[secret!], { environment: 'ROOKERY_OPS_TOKEN' })
    // The alert rules name the job.
    assert.ok(read('alerts.yml').includes(`{job="${job_name}"}`))
    assert.deepEqual(static_configs, [{ targets: ['rookery:2280'] }])
    const mounted = (service: string) =>
      services[service]!.volumes!.map((volume) => volume.split(':')[1])
    assert.ok(mounted('prometheus').includes(rule_files[0]))
    const [{ url }] = parseYaml(read('metrics/datasource.yml')).datasources
    assert.equal(new URL(url).hostname, 'prometheus')
    const [{ options }] = parseYaml(read('metrics/dashboards.yml')).providers
    assert.ok(mounted('grafana').includes(`${options.path}/dashboard.json`))
    assert.deepEqual(services.grafana!.ports, ['127.0.0.1:3000:3000'])
    assert.ok(!JSON.stringify(services.grafana).includes('ROOKERY_OPS_TOKEN'))
    assert.deepEqual(services.prometheus!.profiles, services.grafana!.profiles)
  })

  it('images of others are named by an exact version, which does not move', () => {
    const { services } = compose()
    const images = Object.values(services).flatMap(({ image, build }) => (build ? [] : image!))
    assert.ok(images.length > 3)
    for (const image of images) assert.match(image, /:v?\d+\.\d+(\.\d+)?$/, image)
  })

  it('the unit runs without root and without anything writable but its data', () => {
    const unit = read('rookery.service')
    for (const line of [
      'DynamicUser=yes',
      'ProtectSystem=strict',
      'NoNewPrivileges=yes',
      'SystemCallFilter=@system-service @pkey',
    ]) {
      assert.ok(unit.includes(`\n${line}\n`), line)
    }
    assert.ok(existsSync(join(ROOT, 'scripts', 'rookery.mjs')))
    assert.match(unit, /scripts\/rookery\.mjs serve/)
    const state = /^StateDirectory=(.+)$/m.exec(unit)![1]!.split(' ')
    for (const name of ['DATA', 'BACKUP']) {
      const path = new RegExp(`ROOKERY_${name}_DIR=/var/lib/(\\S+)`).exec(unit)![1]!
      assert.ok(state.includes(path), path)
    }
  })

  it('the memory of the unit and of its alert follows the size of the machine', () => {
    const share = Number(/^MemoryHigh=(\d+)%$/m.exec(read('rookery.service'))![1]) / 100
    const { groups } = parseYaml(read('alerts.yml')) as {
      groups: { rules: { alert: string; expr: string }[] }[]
    }
    const { expr } = groups
      .flatMap(({ rules }) => rules)
      .find(({ alert }) => alert === 'RookeryMemory')!
    const part = Number(/> ([\d.]+) \* rookery_memory_limit_bytes\{job="rookery"\}$/.exec(expr)![1])
    // The smallest machine of the guide: what the server and the decoder of pictures take fits before the alert.
    const guide = readFileSync(join(ROOT, 'docs', 'deploying.md'), 'utf8')
    const gigabytes = [...guide.matchAll(/\| \d cores?, (\d+) GB/g)].map(([, text]) => Number(text))
    const usable = share * Math.min(...gigabytes) * 1e9
    assert.ok(share < 0.9 && part < 1)
    assert.ok(part * usable >= SERVER_BYTES + DECODER_BYTES, `${part * usable}`)
  })

  it('the image is built from fixed versions, copies what its build makes and runs without root', () => {
    const [build, final] = stagesOf(read('Dockerfile')) as [Instruction[], Instruction[]]
    for (const { keyword, rest } of [...build, ...final]) {
      assert.doesNotMatch(rest, /:latest\b|\bsudo\b|\bcurl\b/, rest)
      assert.notEqual(keyword, 'ADD')
      if (keyword === 'FROM') assert.match(rest, /:[\w.-]+(?: AS \w+)?$/)
      if (keyword === 'WORKDIR') assert.match(rest, /^\//)
      if (['CMD', 'ENTRYPOINT'].includes(keyword)) assert.ok(Array.isArray(JSON.parse(rest)))
    }
    const all = (keyword: string) =>
      final.filter((one) => one.keyword === keyword).map(({ rest }) => rest)
    assert.deepEqual(all('RUN'), [])
    assert.deepEqual(all('USER'), ['65532:65532'])
    assert.match(all('HEALTHCHECK').join(), /127\.0\.0\.1:2290\/health\/ready/)
    assert.equal(all('HEALTHCHECK').length, 1)
    const made = build.map(({ keyword, rest }) => `${keyword} ${rest}`).join('\n')
    const copies = all('COPY').map((rest) => /^--from=build (?:--\S+ )?(\S+) /.exec(rest)![1]!)
    assert.equal(copies.length, 3)
    for (const path of copies) {
      assert.match(made, new RegExp(`^(?:WORKDIR|RUN mkdir -p).* ${path}(?: |$)`, 'm'))
    }
    for (const path of all('VOLUME').join(' ').split(' ')) assert.ok(copies.includes(path), path)
  })

  it('the build of the image gets the sources, and no history, packages, data, settings or secrets', () => {
    const isInContext = contextOf(readFileSync(join(ROOT, '.dockerignore'), 'utf8'))
    const private_ = [
      ...['.git/config', '.git/objects/00/1', '.ci', '.env', 'node_modules/viem/package.json'],
      ...['data/rookery.sqlite', 'data/registry.key', 'data/signer.key', 'data-as-deployed/x'],
      ...[
        'deploy/.env',
        'deploy/Dockerfile',
        'deploy/compose.yml',
        'deploy/secrets/key.pem',
        'backups/rookery-1/x',
      ],
      ...['rookery-0.1.0.tgz', 'tmp/x', 'my-settings', 'backup-monday/registry.key'],
      ...['src/.env', 'src/.env.local', 'web/node_modules/x/index.js', 'scripts/test.key'],
      ...['src/data.sqlite-wal', 'test/deploy.test.ts', 'contracts/Ledger.sol'],
    ]
    assert.deepEqual(private_.filter(isInContext), [])
    const needed = [
      ...['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'tsconfig.build.json'],
      ...[
        'README.md',
        'LICENSE',
        'src/main.ts',
        'src/kernel/storage/engines/sqlite.ts',
        'scripts/pack.ts',
      ],
      ...['web/built/client/index.html', 'web/reference/index.html'],
      ...['deploy/rookery.service', 'deploy/Caddyfile', 'deploy/metrics/prometheus.yml'],
      ...globSync('contracts/compiled/*', { cwd: ROOT }),
      // The guide shows these programs.
      ...globSync('examples/quick-start/*', { cwd: ROOT }),
    ]
    assert.deepEqual(
      needed.filter((path) => !isInContext(path)),
      [],
    )
  })

  it('the image has a command `rookery` on its path, which needs no shell', (t) => {
    const [build, final] = stagesOf(read('Dockerfile')) as [Instruction[], Instruction[]]
    const step = build.find(({ rest }) => rest.includes('> bin/rookery'))!
    const dir = mkdtempSync(join(tmpdir(), 'rookery-command-'))
    t.after(() => rmSync(dir, { recursive: true, force: true }))
    const program = join(dir, 'node_modules', 'rookery', 'dist', 'main.js')
    mkdirSync(join(program, '..'), { recursive: true })
    writeFileSync(program, 'console.log(JSON.stringify(process.argv.slice(2)))')
    // As npm init writes it.
    writeFileSync(join(dir, 'package.json'), '{ "type": "commonjs" }')
    symlinkSync(process.execPath, join(dir, 'node'))
    const made = spawnSync('sh', ['-ec', step.rest.replaceAll('/app/', `${dir}/`)], { cwd: dir })
    assert.equal(made.status, 0, String(made.stderr))
    const path = /PATH=(\S+):\$PATH/.exec(final.find(({ keyword }) => keyword === 'ENV')!.rest)![1]!
    const command = join(path.replace('/app', dir), 'rookery')
    const { stdout } = spawnSync(command, ['invite', 'create'], { encoding: 'utf8', env: {} })
    assert.equal(stdout, '["invite","create"]\n')
  })

  for (const profile of ['none', 'postgres']) {
    it(`a server starts with the settings of the compose file and of the image, with profile ${profile}`, () => {
      const { services } = compose()
      const image = read('Dockerfile').matchAll(/(ROOKERY_\w+)=(\S+) \\/g)
      const env = {
        ...Object.fromEntries([...image].map(([, name, value]) => [name!, value!])),
        ...exampleSettings(profile),
      }
      for (const [name, value] of Object.entries(services.rookery!.environment!)) {
        env[name] = value.replace(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => env[variable]!)
      }
      const config = readConfig(env, 'production')
      assert.equal(config.publicUrl, 'https://social.example.org')
      // The proxy reaches it over the network of the containers.
      assert.equal(config.host, '0.0.0.0')
      assert.equal(config.webPort, 2290)
      // Docker passes what reaches port 2280 of the machine to an address of the container.
      assert.deepEqual([config.opsHost, config.opsPort], ['0.0.0.0', 2280])
      assert.deepEqual(config.opsHosts, ['rookery'])
      const { ipv4_address: address } = services.caddy!.networks!.front!
      assert.equal(env.ROOKERY_TRUSTED_PROXIES, address)
      if (profile === 'none') {
        const kept = services.rookery!.volumes!.map((volume) => volume.split(':')[1])
        assert.deepEqual(kept, [config.dataDir, config.backupDir])
        return
      }
      const database = new URL(env.DATABASE_URL!)
      const { POSTGRES_USER, POSTGRES_DB } = services.postgres!.environment!
      assert.deepEqual(
        [database.username, database.pathname, database.hostname],
        [POSTGRES_USER, `/${POSTGRES_DB}`, 'postgres'],
      )
    })
  }

  it('operations that other machines can reach ask for the token', {
    skip: process.platform !== 'linux' && 'only Linux has more than one loopback address',
  }, async (t) => {
    const app = await startServer(t, { ...(await emptyStore(t)), ROOKERY_OPS_HOST: '0.0.0.0' })
    // A port on 127.0.0.1 alone does not answer there.
    const url = `http://127.0.0.2:${new URL(app.urls.operations).port}`
    const headers = { authorization: `Bearer ${PRODUCTION_ENV.ROOKERY_OPS_TOKEN}` }
    for (const path of ['/metrics', '/errors', '/backups']) {
      assert.equal((await fetch(url + path)).status, 401, path)
      assert.equal((await fetch(url + path, { headers })).status, 200, path)
    }
  })

  it('the compose file confines the server, bounds logs, and names only what it declares', () => {
    const { services, networks, volumes } = compose()
    const { rookery, postgres } = services
    assert.equal(rookery!.read_only, true)
    assert.deepEqual(rookery!.cap_drop, ['ALL'])
    assert.deepEqual(rookery!.security_opt, ['no-new-privileges:true'])
    assert.deepEqual(rookery!.ports, ['127.0.0.1:2280:2280'])
    assert.equal(postgres!.ports, undefined)
    assert.ok(postgres!.healthcheck)
    assert.equal(networks.back!.internal, true)
    for (const [name, service] of Object.entries(services)) {
      if (!service.build) assert.match(service.image!, /:(?!latest)[\w.-]+$/, name)
      assert.ok(service.restart, name)
      assert.ok(service.logging.options['max-size'] && service.logging.options['max-file'], name)
      for (const network of [service.networks].flat().flatMap(namesOf)) {
        assert.ok(network in networks, network)
      }
      for (const volume of service.volumes!) {
        const [from] = volume.split(':') as [string]
        assert.ok(from.startsWith('./') ? existsSync(join(DEPLOY, from)) : from in volumes, volume)
      }
      for (const other of [service.depends_on ?? []].flat().flatMap(namesOf)) {
        assert.ok(other in services, other)
      }
    }
    const kept = rookery!.volumes!.map((volume) => volume.split(':')[1]!)
    const declared = stagesOf(read('Dockerfile'))
      .flat()
      .find(({ keyword }) => keyword === 'VOLUME')
    for (const path of kept) assert.ok(declared!.rest.split(' ').includes(path), path)
    assert.match(read('Caddyfile'), /reverse_proxy rookery:2290/)
    const blocks = read('Caddyfile').replace(/\{\$\w+\}/g, '')
    assert.equal(blocks.split('{').length, blocks.split('}').length)
  })

  it('the proxies let every upload through that a setting allows', () => {
    const sizes = [
      /max_size (\d+)MB/.exec(read('Caddyfile')),
      /client_max_body_size (\d+)m;/.exec(read('nginx/rookery.conf')),
    ]
    for (const mb of sizes.map((found) => Number(found?.[1]))) {
      const env = { ...PRODUCTION_ENV, ROOKERY_MEDIA_VIDEO_MB: String(mb) }
      assert.throws(() => readConfig(env, 'production'), /ROOKERY_MEDIA_VIDEO_MB/)
      assert.ok(mb * 1e6 > MAX_PICTURE_BYTES)
    }
  })

  it('the proxies hold event streams that send nothing but heartbeats', () => {
    const waits = [
      ...read('nginx/rookery.conf').matchAll(/proxy_read_timeout (\d+)s;/g),
      ...read('haproxy/haproxy.cfg').matchAll(/timeout (?:client|server) (\d+)s\n/g),
      ...read('patroni/haproxy.cfg').matchAll(/timeout (?:client|server) (\d+)s\n/g),
    ].map(([, seconds]) => Number(seconds) * 1_000)
    assert.equal(waits.length, 5)
    // One may come late.
    for (const ms of waits) assert.ok(ms > 2 * HEARTBEAT_MS, `${ms}`)
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
