import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { callPlatform } from '../act/platform.ts'
import { channelPath } from '../parts/channel-card.tsx'
import { Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { bodyOf, ChannelForm, Line, NOTHING } from './channel-form.tsx'

const MAX_ID_CHARACTERS = 16
const ID = /^[0-9a-z][0-9a-z-]{0,15}$/

/** The address that a name suggests. */
const idOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^0-9a-z]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_ID_CHARACTERS)
    .replace(/-+$/, '')

/** The screen on which one makes a channel. */
export function Component() {
  const { fid } = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [values, setValues] = useState(NOTHING)
  const [typedId, setTypedId] = useState<string>()
  const id = typedId ?? idOf(values.name)
  if (fid === undefined) {
    const action = { text: t('Join'), run: () => navigate('/join?back=%2Fchannels%2Fnew') }
    return <Shown isScreen icon="channel" heading={t('Join to make a channel')} action={action} />
  }
  const isId = ID.test(id)
  return (
    <div className="form-screen">
      <Title>{t('New channel')}</Title>
      <h1>{t('New channel')}</h1>
      <ChannelForm
        fid={fid}
        values={values}
        change={setValues}
        isGood={isId}
        submitText={t('Make the channel')}
        send={async (key) => {
          const body = { channelId: id, ...bodyOf(values, undefined) }
          await callPlatform(key, '/fc/channels', 'POST', body)
          await callPlatform(key, '/fc/channel-follows', 'POST', { channelId: id })
          await queries.invalidateQueries()
          navigate(channelPath({ id }))
        }}
      >
        {(refused) => (
          <Line
            label={t('Address')}
            help={
              refused('channelId') ??
              (isId || id === ''
                ? t('/{id}: 1 to 16 of a–z, 0–9 and -. It can never be changed.', {
                    id: id || '…',
                  })
                : t('An address is 1 to 16 of a–z, 0–9 and -.'))
            }
            isBad={refused('channelId') !== undefined || (!isId && id !== '')}
            value={id}
            maxLength={MAX_ID_CHARACTERS}
            onChange={(text) => setTypedId(text.toLowerCase())}
          />
        )}
      </ChannelForm>
    </div>
  )
}
