// Package road counts the code of five requests: the functions, files and packages of this module that run
// between the first byte of a request and the last of its response, by coverage. A program with counters, in walk,
// serves itself and sends the requests; the test holds their figures against roads.txt. Only what runs in each of
// several walks counts, since a server also works for itself.
//
// Function literals count with the function that they are in. The suite is part of make check, and `make road` prints
// its table.
package road
