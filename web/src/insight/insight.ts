import Playback from './Playback.svelte'
import Sparkline from './Sparkline.svelte'
import { Trends } from './trends.svelte.ts'

/** What tells the weak points over time; fetched once the board itself stands. */
export class Insight {
  readonly trends = new Trends()
  readonly Playback = Playback
  readonly Sparkline = Sparkline
}
