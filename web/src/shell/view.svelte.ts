import { inAddress, type Narrowed, narrowedIn } from '../lib/narrowing.ts'
import type { Router } from './router.svelte.ts'

/** What is looked at, which the address alone says: reload, back and a link that is passed on give the same picture. */
export class View {
  readonly narrowed: Narrowed = $derived.by(() => {
    const { route, search } = this.router
    const said = narrowedIn(search)
    return route.page === 'section' ? { ...said, section: route.id } : said
  })
  /** what counts and trends are narrowed by; words have no counters */
  readonly counted: Narrowed = $derived.by(() => {
    const { project, days } = this.narrowed
    return { project, days }
  })

  constructor(private readonly router: Router) {}

  /** The address of another page on which the same is looked at. */
  at(path: string): string {
    const { section: _, ...rest } = this.narrowed
    return path + inAddress(rest)
  }

  /** `typing`: one more letter of words is nothing to go back to. */
  change(changed: Narrowed, { typing = false } = {}): void {
    const { router } = this
    const { section, ...rest } = { ...this.narrowed, ...changed }
    const stays = router.route.page === 'board' || (router.route.page === 'section' && section)
    const path = stays ? router.path : '/'
    router.go(path + inAddress(path === '/' ? { section, ...rest } : rest), {
      replace: typing && this.narrowed.q !== undefined,
    })
  }
}
