import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDatabaseUrl } from './database-url.ts'

const VERIFIED = 'sslmode=verify-full&uselibpqcompat=true'

test('a URL with one host may go to any server', () => {
  const url = 'postgres://user:pass%40word@db.example:5433/name?application_name=x'
  assert.deepEqual(parseDatabaseUrl(url), { hosts: [`${url}&${VERIFIED}`], target: 'any' })
})

test('a URL with several hosts becomes one for each host and goes to the writable one', () => {
  assert.deepEqual(parseDatabaseUrl('postgresql://u:p@a,b:5433,[::1]:5434/name'), {
    hosts: [`a/name?${VERIFIED}`, `b:5433/name?${VERIFIED}`, '[::1]:5434/name'].map(
      (rest) => `postgresql://u:p@${rest}`,
    ),
    target: 'read-write',
  })
})

test('target_session_attrs decides which server is taken and is not sent to the server', () => {
  for (const target of ['any', 'read-write', 'read-only', 'primary', 'standby'] as const) {
    const parsed = parseDatabaseUrl(`postgres://a,b/n?target_session_attrs=${target}`)
    const hosts = ['a', 'b'].map((host) => `postgres://${host}/n?${VERIFIED}`)
    assert.deepEqual(parsed, { hosts, target })
  }
})

test('sslmode has the meaning that psql gives it', () => {
  const { hosts } = parseDatabaseUrl('postgres://a/n?sslmode=require')
  assert.deepEqual(hosts, ['postgres://a/n?sslmode=require&uselibpqcompat=true'])
})

test('security finding 17: a database on another machine is verified by TLS unless the URL says otherwise', () => {
  const hostsOf = (text: string) => parseDatabaseUrl(text).hosts
  for (const host of [
    'db',
    'db.example.org',
    '10.0.0.5',
    '[2001:db8::1]',
    'localhost.example.org',
  ]) {
    const url = `postgres://u:p@${host}/n`
    assert.deepEqual(hostsOf(url), [`${url}?${VERIFIED}`])
    const plain = `${url}?sslmode=disable`
    assert.deepEqual(hostsOf(plain), [`${plain}&uselibpqcompat=true`])
  }
  assert.match(hostsOf('postgres:///n?host=db.example.org')[0]!, /sslmode=verify-full/)
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3:5433', '[::1]']) {
    assert.deepEqual(hostsOf(`postgres://u:p@${host}/n`), [`postgres://u:p@${host}/n`])
  }
})

test('a socket directory may stand in place of a host', () => {
  const { hosts } = parseDatabaseUrl('postgres:///name?host=/var/run/postgresql')
  assert.deepEqual(hosts, ['postgres:///name?host=%2Fvar%2Frun%2Fpostgresql'])
})

test('what is not a database URL is refused without repeating it', () => {
  const faulty = [
    '',
    'localhost',
    'mysql://u:secret@h/n',
    'postgres://u:secret@h:port/n',
    'postgres://u:secret@a,b:99999/n',
    'postgres://u:secret@h/n?target_session_attrs=best',
  ]
  for (const text of faulty) {
    assert.throws(
      () => parseDatabaseUrl(text),
      (error: Error) => /^must /.test(error.message) && !/secret/.test(error.message),
    )
  }
})
