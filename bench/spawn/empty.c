/* SPDX-License-Identifier: Apache-2.0 */
/* The least that a program can be: what the others are measured against. */
int main(void)
{
	return 0;
}
