// The proxies that people put in front of a server, from Debian's packages, with the files of deploy/ and free ports.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signedCertificate } from './certificate.ts'
import { findProgram } from './debian.ts'
import { freePort } from './postgres.ts'
import { ROOT } from './program.ts'
import { until } from './until.ts'

/** What a proxy forwards to: ports of this machine. */
export type Targets = { readonly web: number; readonly grpc: number }

export type ReverseProxy = {
  /** Where it answers for the front door, with a certificate that nobody trusts. */
  readonly url: string
  /** The same for clients of gRPC. */
  readonly address: string
  /** The file of the certificate. */
  readonly certificate: string
  stop(): Promise<void>
}

/** Where a proxy listens, and the files that it reads. */
type Place = Targets & {
  readonly dir: string
  readonly https: number
  readonly http: number
  readonly key: string
  readonly certificate: string
}

type Proxy = {
  readonly debianPackage: string
  /** Writes its files and returns its arguments. */
  readonly configure: (place: Place) => readonly string[]
}

/** A file of deploy/ with places of this test; what is replaced has to be there. */
function deployed(name: string, replacements: Readonly<Record<string, string | number>>): string {
  const text = readFileSync(join(ROOT, 'deploy', name), 'utf8')
  const places = Object.keys(replacements)
  for (const place of places)
    if (!text.includes(place)) throw new Error(`deploy/${name} has no ${place}`)
  // At once: a free port may begin with the digits of one that is to be replaced.
  const any = new RegExp(places.map((place) => RegExp.escape(place)).join('|'), 'g')
  return text.replace(any, (place) => String(replacements[place]))
}

function configureNginx({ dir, https, http, web, grpc, key, certificate }: Place): string[] {
  const place = '/etc/letsencrypt/live/social.example.org'
  const site = deployed('nginx/rookery.conf', {
    'listen 80;': `listen 127.0.0.1:${http};`,
    'listen [::]:80;': '',
    'listen 443 ': `listen 127.0.0.1:${https} `,
    'listen [::]:443 ssl http2;': '',
    [`${place}/fullchain.pem`]: certificate,
    [`${place}/privkey.pem`]: key,
    '127.0.0.1:2290': `127.0.0.1:${web}`,
    '127.0.0.1:2283': `127.0.0.1:${grpc}`,
  })
  writeFileSync(join(dir, 'rookery.conf'), site)
  const main = `daemon off;
    user root;
    pid ${dir}/nginx.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      client_body_temp_path ${dir}/body;
      include ${dir}/rookery.conf;
    }`
  writeFileSync(join(dir, 'nginx.conf'), main)
  return ['-e', 'stderr', '-p', dir, '-c', join(dir, 'nginx.conf')]
}

function configureHaproxy({ dir, https, http, web, grpc, key, certificate }: Place): string[] {
  const both = join(dir, 'both.pem')
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  const text = deployed('haproxy/haproxy.cfg', {
    'bind :80\n': `bind 127.0.0.1:${http}\n`,
    'bind :443 ': `bind 127.0.0.1:${https} `,
    '/etc/haproxy/social.example.org.pem': both,
    '127.0.0.1:2290': `127.0.0.1:${web}`,
    '127.0.0.1:2283': `127.0.0.1:${grpc}`,
  })
  writeFileSync(join(dir, 'haproxy.cfg'), text)
  return ['-db', '-f', join(dir, 'haproxy.cfg')]
}

function configureCaddy({ dir, https, web, key, certificate }: Place): string[] {
  const site = deployed('Caddyfile', {
    '{$HOST_NAME} {': `https://localhost:${https} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
    'rookery:2290': `127.0.0.1:${web}`,
  })
  writeFileSync(join(dir, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  return ['run', '--config', join(dir, 'Caddyfile'), '--adapter', 'caddyfile']
}

export const REVERSE_PROXIES = {
  caddy: { debianPackage: 'caddy', configure: configureCaddy },
  nginx: { debianPackage: 'nginx', configure: configureNginx },
  haproxy: { debianPackage: 'haproxy', configure: configureHaproxy },
} satisfies Record<string, Proxy>
export type ProxyName = keyof typeof REVERSE_PROXIES

/** Starts a proxy. Throws an Error that says why when it cannot be installed. */
export async function startReverseProxy(name: ProxyName, targets: Targets): Promise<ReverseProxy> {
  const { debianPackage, configure } = REVERSE_PROXIES[name]
  const program = await findServer(name, debianPackage)
  const dir = mkdtempSync(join(tmpdir(), `rookery-${name}-`))
  const [https, http] = [await freePort(), await freePort()]
  const place = { ...targets, ...signedCertificate(dir), dir, https, http }
  const child = spawn(program, configure(place), {
    env: { HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  // A run that is interrupted leaves none.
  const atExit = () => child.kill('SIGKILL')
  process.once('exit', atExit)
  const stop = async () => {
    process.off('exit', atExit)
    child.kill('SIGTERM')
    await ended
    rmSync(dir, { recursive: true, force: true })
  }
  await listening(child, https).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const address = `localhost:${https}`
  return { url: `https://${address}`, address, certificate: place.certificate, stop }
}

/** Debian keeps servers where the PATH of users does not look. */
function findServer(name: string, debianPackage: string): Promise<string> {
  if (!process.env.PATH?.includes('/usr/sbin')) process.env.PATH += ':/usr/sbin'
  return findProgram([name], debianPackage)
}

/** Waits until it answers anything; its own errors say why it does not. */
async function listening(child: ChildProcess, port: number): Promise<void> {
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-10_000)
  })
  await until(async () => {
    if (child.exitCode !== null) return true
    // The certificate is nobody's: a failed handshake is an answer, a refused connection is none.
    const cause = await fetch(`https://127.0.0.1:${port}`).catch((error) => error.cause)
    return cause?.code !== 'ECONNREFUSED'
  }, 'the proxy listens')
  if (child.exitCode !== null) throw new Error(`the proxy ended: ${errors}`)
}
