import type { SharedImage } from './data-state.ts';

/** The image of place and network that was published last, for jobs of the control thread that judge by it. */
export class GeoNews {
  #image: SharedImage | undefined;
  readonly #listeners: ((image: SharedImage) => void)[] = [];

  publish(image: SharedImage): void {
    this.#image = image;
    for (const listener of this.#listeners) listener(image);
  }

  /** Calls the listener with the image that is there, if any, and with each later one. */
  follow(listener: (image: SharedImage) => void): void {
    this.#listeners.push(listener);
    if (this.#image !== undefined) listener(this.#image);
  }
}
