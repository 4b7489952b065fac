import {
  parseInteger,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'

const settings = {
  channelsPerFid: setting({
    variable: 'ROOKERY_CHANNELS_PER_FID',
    what: 'Channels that one fid may create; those that the operator creates for it do not count.',
    defaults: { development: '100', production: '10' },
    parse: (text) => parseInteger(text, 0, 1e9),
  }),
}

const constants = {
  /** Channels that all users together may create: lists and searches of them stay quick. Those of the operator do not count. */
  maxChannels: 100_000,
}

export const CHANNEL_SETTINGS = {
  title: 'Channels',
  settings,
  constants,
} satisfies SettingGroup

/** As the deployed client calls them. */
const DEPLOYED_URL_BASE = 'https://farcaster.xyz/~/channel/'

/** What the url of a new channel begins with. The front door serves the page of a channel there. */
export const channelUrlBaseOf = ({
  publicUrl,
  links,
}: Pick<HttpConfig, 'publicUrl' | 'links'>): string =>
  links === 'own' && publicUrl ? `${publicUrl}/channel/` : DEPLOYED_URL_BASE

export type ChannelConfig = SettingValues<typeof settings> & typeof constants
