import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { callPlatform } from '../act/platform.ts'
import { channelPath } from '../parts/channel-card.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { bodyOf, ChannelForm, type Values } from './channel-form.tsx'

/** A channel as the client platform answers it. */
type PlatformChannel = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly rules?: string
  readonly imageUrl: string
  readonly leadFid?: number
  readonly externalLink?: { readonly url?: string; readonly title?: string }
  readonly publicCasting: boolean
}

/** `/channel/wetlands/edit`: the owner changes the channel. */
export function Component() {
  const { id = '' } = useParams()
  const { fid } = useSession()
  const found = useQuery({
    queryKey: ['platform channel', id],
    queryFn: async ({ signal }) => {
      const query = { channelId: id }
      const call = { query, signal }
      const { result } = await fetchJson<{ result: { channel: PlatformChannel } }>(
        '/platform/v1/channel',
        call,
      )
      return result.channel
    },
  })
  if (found.isPending) return <Loading what={t('Loading the channel')} rows={2} />
  if (found.error) return <Failed isScreen error={found.error} retry={found.refetch} />
  if (fid === undefined || found.data.leadFid !== fid) {
    return <Shown isScreen icon="channel" heading={t('Only the owner may edit this channel')} />
  }
  return <EditForm fid={fid} channel={found.data} />
}

const valuesOf = (channel: PlatformChannel): Values => ({
  name: channel.name,
  description: channel.description,
  rules: channel.rules ?? '',
  imageUrl: channel.imageUrl,
  link: channel.externalLink?.url ?? '',
  publicCasting: channel.publicCasting,
})

function EditForm({ fid, channel }: { fid: number; channel: PlatformChannel }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [values, setValues] = useState(() => valuesOf(channel))
  const { id } = channel
  return (
    <div className="form-screen">
      <Title>{t('Edit /{id}', { id })}</Title>
      <h1>{rich('Edit {name}', { name: <bdi>/{id}</bdi> })}</h1>
      <ChannelForm
        fid={fid}
        values={values}
        change={setValues}
        isGood
        submitText={t('Save')}
        send={async (key) => {
          const body = { channelId: id, ...bodyOf(values, null) }
          await callPlatform(key, '/fc/channels', 'PATCH', body)
          await queries.invalidateQueries()
          navigate(channelPath({ id }))
        }}
      />
    </div>
  )
}
