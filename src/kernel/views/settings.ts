import {
  inBothModes,
  parseChoice,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../base/setting.ts'

const settings = {
  views: setting({
    variable: 'ROOKERY_VIEWS',
    what: 'on: keep the tables behind feeds, counts, search and notifications, and serve the app API. off: neither.',
    defaults: inBothModes('on'),
    parse: (text) => parseChoice(text, { on: true, off: false }),
  }),
}

export const VIEW_SETTINGS = {
  title: 'Views',
  settings,
} satisfies SettingGroup

export type ViewConfig = SettingValues<typeof settings>
