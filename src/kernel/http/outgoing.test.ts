import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOwnHost } from './outgoing.ts'

test('a host that name servers say nothing about is refused in time, and one of the own network is not', async () => {
  const silent = () => new Promise<never>(() => {})
  await assert.rejects(checkOwnHost('mail.example', 'host', { lookup: silent, timeoutMs: 10 }), {
    code: 'bad_request.validation_failure',
    field: 'host',
    message: 'mail.example cannot be found within 0.01 s',
  })
  const lookup = async () => [{ address: '10.0.0.1', family: 4 }]
  await checkOwnHost('mail.example', 'host', { lookup })
})
