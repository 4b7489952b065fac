import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SETTING_GROUPS } from '../src/config.ts'
import { SETTING_WORDS } from '../web/operator/setting-words.ts'

it('the operator’s page names each setting that is changed there as its declaration does', () => {
  const live = SETTING_GROUPS.flatMap(({ settings }) => Object.values(settings)).flatMap((one) =>
    one.live ? [[one.variable, one.live] as const] : [],
  )
  const declared = live.map(([variable, { title, help, unit, choices }]) => [
    variable,
    { title, help, ...(unit && { unit }), ...(choices && { choices }) },
  ])
  assert.deepEqual(SETTING_WORDS, Object.fromEntries(declared))
})
