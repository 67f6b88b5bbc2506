A title                                                                 KEY     
             2             1             1             0
pua                        3             2             3             0
(2(I2,I1))      (3I1)
 13 4
123
