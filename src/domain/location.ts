/** The location of an address, and the network around it with the same location. */
export type Location = IpRange & { countryCode: string; countryName: string };

/** A network: its first and last addresses. */
export type IpRange = { start: IpNumber; end: IpNumber };

/** An address as a number and as text. */
export type IpNumber = { number: bigint; text: string };
