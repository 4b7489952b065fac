import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postLanguages } from './post-languages.ts'

const TEXT = 'Guten Morgen zusammen, heute scheint endlich die Sonne'

test('posts have no language where the detector cannot be loaded, and the log says why', async () => {
  const warnings: string[] = []
  const broken = new Error('no memory')
  const languages = postLanguages({
    log: {
      warn: (facts: object, text?: string) =>
        void warnings.push(`${text}: ${(facts as { err: Error }).err.message}`),
    },
    detector: () => Promise.reject(broken),
  })
  for (const name of ['a', 'b']) assert.equal((await languages())(name, TEXT), undefined)
  assert.deepEqual(warnings, ['languages of posts cannot be told: no memory'])
})

test('a text is looked at once, and another post with another one anew', async () => {
  let looks = 0
  const { eld } = await import('eld/extrasmall')
  const languages = postLanguages({
    log: { warn: () => assert.fail('nothing is to be warned of') },
    detector: async () => (text) => {
      looks++
      return eld.detect(text)
    },
  })
  const languageOf = await languages()
  assert.deepEqual(
    [languageOf('a', TEXT), languageOf('a', TEXT), languageOf('b', TEXT)],
    ['de', 'de', 'de'],
  )
  assert.equal(looks, 2)
})
