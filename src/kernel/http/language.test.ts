import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LANGUAGE_COOKIE, VISIT_COOKIE } from '../base/languages/cookies.ts'
import { LANGUAGES } from '../base/languages/languages.ts'
import { languageFor } from './language.ts'

const [english] = LANGUAGES
const offered = ['en', 'de', 'fr', 'ja', 'ko', 'pl', 'pt-BR', 'zh-CN'].map((code) => ({
  ...{ code, name: code, dir: 'ltr' as const },
}))
const choose = (headers: Record<string, string>, named?: string) =>
  languageFor(headers, named, english!, offered).code

describe('the language of a page', () => {
  it('a page has the language that a link names, then the chosen one, then the one that the browser asks for', () => {
    const headers = { cookie: `a=b; ${LANGUAGE_COOKIE}=pl`, 'accept-language': 'de' }
    assert.equal(choose(headers, 'ja'), 'ja')
    assert.equal(choose(headers, 'xx'), 'pl')
    assert.equal(choose({ cookie: `${headers.cookie}; ${VISIT_COOKIE}=fr` }), 'fr')
    assert.equal(choose({ 'accept-language': 'de' }), 'de')
    assert.equal(choose({}), 'en')
  })

  it('a page follows the weights of the browser, and takes a neighbour of the same name', () => {
    assert.equal(choose({ 'accept-language': 'en;q=0.1, xx, pt-PT;q=0.9' }), 'pt-BR')
    assert.equal(choose({ 'accept-language': 'de;q=0, fr-CA' }), 'fr')
    assert.equal(choose({ 'accept-language': 'zh-Hans-SG' }), 'zh-CN')
    assert.equal(choose({ 'accept-language': 'zh-TW, ko;q=0.5' }), 'ko')
  })

  it('a page has the language of the server where headers are broken or endless', () => {
    for (const header of ['', ';;;', '*', ',,,', 'q=1', `${'xx,'.repeat(5_000)}de`]) {
      assert.equal(choose({ 'accept-language': header }), 'en', header.slice(0, 20))
    }
  })
})
