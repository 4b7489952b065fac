import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pushSubject } from './subject.ts'

describe('whom push services are told to ask', () => {
  it('push services are told the public address over https, else an address that the operator states', () => {
    const http = 'http://192.0.2.1:2290'
    const subjects: [publicUrl: string | undefined, contact: string, subject: string][] = [
      ['https://birds.example', 'ada@birds.example', 'https://birds.example'],
      [http, 'ada@birds.example', 'mailto:ada@birds.example'],
      [http, 'mailto:ada@birds.example', 'mailto:ada@birds.example'],
      [http, ' ada@birds.example ', 'mailto:ada@birds.example'],
      [undefined, 'https://birds.example/ask', 'https://birds.example/ask'],
      [http, 'http://birds.example/ask', 'https://rookery.invalid'],
      [http, 'ada@localhost', 'https://rookery.invalid'],
      [http, 'ask Ada, ada@birds.example', 'https://rookery.invalid'],
      [http, '', 'https://rookery.invalid'],
    ]
    for (const [publicUrl, contact, subject] of subjects) {
      assert.equal(pushSubject(publicUrl, contact), subject, `${publicUrl} ${contact}`)
    }
  })
})
