import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appOrigin, isOwnOrigin } from './app-origin.ts'

const DEVELOPMENT = { allowLoopback: true }
const PRODUCTION = { allowLoopback: false }

test('a public domain stands for its https origin in both modes', () => {
  for (const rules of [DEVELOPMENT, PRODUCTION]) {
    assert.equal(appOrigin('app.example', rules), 'https://app.example')
    assert.equal(appOrigin('a-b.app.xn--p1ai', rules), 'https://a-b.app.xn--p1ai')
  }
})

test('a local domain stands for an http origin in development only', () => {
  for (const domain of ['localhost', 'localhost:3000', '127.0.0.1:5173', 'game.localhost:3000']) {
    assert.equal(appOrigin(domain, DEVELOPMENT), `http://${domain}`)
    assert.equal(appOrigin(domain, PRODUCTION), undefined)
  }
})

test('a text that is no domain stands for no origin', () => {
  const bad = [
    '',
    'app',
    'App.example',
    'app.example:8443',
    'app.example/',
    'app.example.',
    '-app.example',
    'app..example',
    'app.example; script-src *',
    "app.example 'unsafe-inline'",
    '*.example',
    '10.0.0.1',
    '127.0.0.1.5',
    'localhost:0',
    'localhost:99999',
    'localhost:3000/x',
    'user@localhost',
    '[::1]:3000',
    'a.b.localhost:1',
    `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.example`,
  ]
  for (const domain of bad) assert.equal(appOrigin(domain, DEVELOPMENT), undefined, domain)
})

test('the origin of this server is its own by host, and on this machine by port', () => {
  const own = { hosts: ['social.example', 'localhost:2290'], ports: ['2290', '2281'] }
  for (const origin of [
    'https://social.example',
    'http://localhost:2290',
    'http://127.0.0.1:2281',
    'http://app.localhost:2290',
  ]) {
    assert.ok(isOwnOrigin(origin, own), origin)
  }
  for (const origin of [
    'https://app.example',
    'http://localhost:3000',
    'https://a.social.example',
  ]) {
    assert.ok(!isOwnOrigin(origin, own), origin)
  }
})
