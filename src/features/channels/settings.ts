import {
  inBothModes,
  optionalSetting,
  parseHttpUrl,
  parseInteger,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

const settings = {
  channelUrlBase: optionalSetting({
    variable: 'ROOKERY_CHANNEL_URL_BASE',
    what: 'What the urls of new channels begin with. ROOKERY_PUBLIC_URL and /channel/ unless given; https://farcaster.xyz/~/channel/ with --as-deployed, and in development without a public URL.',
    parse: (text) => `${parseHttpUrl(text)}/`,
  }),
  channelsPerFid: setting({
    variable: 'ROOKERY_CHANNELS_PER_FID',
    what: 'Channels that one fid may create; those that the operator creates for it do not count.',
    defaults: { development: '100', production: '10' },
    parse: (text) => parseInteger(text, 0, 1e9),
  }),
  maxChannels: setting({
    variable: 'ROOKERY_MAX_CHANNELS',
    what: 'Channels that all users together may create; those of the operator do not count.',
    defaults: inBothModes('100000'),
    parse: (text) => parseInteger(text, 0, 1e9),
  }),
}

export const CHANNEL_SETTINGS = {
  title: 'Channels',
  settings,
} satisfies SettingGroup

/** In a development network without a public URL, as the deployed client calls them. */
const DEPLOYED_URL_BASE = 'https://farcaster.xyz/~/channel/'

/** What the url of a new channel begins with. The front door serves the page of a channel there. */
export const channelUrlBaseOf = (
  config: Pick<ChannelConfig, 'channelUrlBase'> & { readonly publicUrl: string | undefined },
): string =>
  config.channelUrlBase ?? (config.publicUrl ? `${config.publicUrl}/channel/` : DEPLOYED_URL_BASE)

export type ChannelConfig = SettingValues<typeof settings>
