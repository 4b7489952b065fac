import {
  inBothModes,
  parseChoice,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

const settings = {
  requireSponsor: setting({
    variable: 'ROOKERY_REQUIRE_SPONSOR',
    what: 'true: a key request needs a sponsor who has credits.',
    defaults: inBothModes('false'),
    parse: (text) => parseChoice(text, { true: true, false: false }),
  }),
}

export const KEY_REQUEST_SETTINGS = {
  title: 'Keys for apps',
  settings,
} satisfies SettingGroup

export type KeyRequestConfig = SettingValues<typeof settings>
