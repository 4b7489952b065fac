import {
  inBothModes,
  parseChoice,
  parseMatching,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

const settings = {
  appScheme: setting({
    variable: 'ROOKERY_APP_SCHEME',
    what: "The scheme of links that open the user's wallet app.",
    defaults: inBothModes('farcaster'),
    parse: (text) => parseMatching(text, /^[a-z][a-z0-9+.-]*$/, 'a URL scheme'),
  }),
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
