import { useQuery } from '@tanstack/react-query'
import { t } from '../../../shared/messages.ts'
import { Composer } from '../../act/composer.tsx'
import { callApp } from '../../api.ts'
import { Original } from '../../parts/original.tsx'
import type { Cast } from '../../types.ts'
import { PromptHeading, type PromptProps } from './prompt-parts.tsx'

/** The composer, filled by the app. The user may change everything, and sends it or not. */
export function ComposePrompt({ host, prompt, isArmed, headingId }: PromptProps<'compose'>) {
  const { text = '', embeds = [], parent, channelKey } = prompt.about
  const { data: original, isLoading } = useQuery({
    queryKey: ['/cast', parent?.hash],
    queryFn: async ({ signal }) => {
      const query = { identifier: parent?.hash ?? '', type: 'hash' }
      return (await callApp<{ cast: Cast }>('/cast', { query, signal })).cast
    },
    enabled: parent !== undefined,
    retry: false,
  })
  return (
    <>
      <div className="mini-app-sheet-head">
        <PromptHeading id={headingId}>
          {t('{Post} from {domain}', { domain: host.ports.domain })}
        </PromptHeading>
        <button type="button" className="secondary" onClick={() => prompt.answer(undefined)}>
          {t('Cancel')}
        </button>
      </div>
      {original && <Original cast={original} />}
      {!isLoading && (
        <Composer
          place={`mini app ${host.ports.launch.id} ${prompt.id}`}
          parent={original}
          channelId={channelKey}
          given={{ text, urls: embeds.filter((url) => URL.canParse(url)) }}
          isBlocked={!isArmed}
          sent={(hash, sent) =>
            prompt.answer({
              hash,
              text: sent.text,
              embeds: sent.urls,
              ...(original && { parent: { type: 'cast', hash: original.hash } }),
              ...(channelKey && { channelKey }),
            })
          }
        />
      )}
    </>
  )
}
